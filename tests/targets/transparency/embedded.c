// SPDX-License-Identifier: Apache-2.0

// A program in C with an interpreter in it: no `python` was started, yet Python code runs.

#include <Python.h>

static const char code[] = "import sys, time\n"
                           "def work():\n"
                           "    end = time.process_time() + 0.3\n"
                           "    while time.process_time() < end:\n"
                           "        sum(range(200))\n"
                           "work()\n"
                           "print('from within', sys.argv)\n";

static int call(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        return 1;
    }
    int status = PyRun_SimpleFileEx(file, path, 1);
    return status == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    Py_Initialize();
    int status = argc > 1 ? call(argv[1]) : PyRun_SimpleString(code);
    // A second life of the interpreter in one process.
    Py_Finalize();
    Py_Initialize();
    PyRun_SimpleString("print('once more')");
    return Py_FinalizeEx() < 0 || status != 0 ? 1 : 9;
}
