// SPDX-License-Identifier: Apache-2.0

// Files: opening with and without a mode, forcing to disk, streams.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe.h"

static void show_mode(const char *call, int fd)
{
    struct stat status = {0};
    fstat(fd, &status);
    printf("%s: %d, mode %o\n", call, fd >= 0 ? 0 : -1, status.st_mode & 07777);
    close(fd);
    unlink("made");
}

static void test_open(void)
{
    umask(0);
    show_mode("open", open("made", O_CREAT | O_RDWR, 0640));
    show_mode("open64", open64("made", O_CREAT | O_RDWR, 0604));
    show_mode("openat", openat(AT_FDCWD, "made", O_CREAT | O_RDWR, 0460));
    show_mode("openat64", openat64(AT_FDCWD, "made", O_CREAT | O_RDWR, 0406));
    show_mode("creat", creat("made", 0064));
    show_mode("creat64", creat64("made", 0046));
    show_mode("temporary", open(".", O_TMPFILE | O_RDWR, 0123));
    show("open not there", open("not there", O_RDONLY));
    show("open nowhere", open(NULL, O_RDONLY));
    show("openat not a folder", openat(0, "made", O_RDONLY));
    int fd = open("made", O_CREAT | O_EXCL | O_RDWR, 0600);
    show("open again", open("made", O_CREAT | O_EXCL | O_RDWR, 0600));
    show("F_GETFD", fcntl(fd, F_GETFD));
    show("F_SETFD", fcntl(fd, F_SETFD, FD_CLOEXEC));
    show("F_GETFD", fcntl(fd, F_GETFD));
    show("F_DUPFD", fcntl(fd, F_DUPFD, 200));
    show("F_DUPFD_CLOEXEC", fcntl(fd, F_DUPFD_CLOEXEC, 201));
    show("F_GETFL", fcntl(fd, F_GETFL) & O_ACCMODE);
    show("F_SETFL", fcntl(fd, F_SETFL, O_APPEND));
    show("F_GETFL", (fcntl(fd, F_GETFL) & O_APPEND) != 0);
    struct f_owner_ex owner = {F_OWNER_PID, getpid()};
    show("F_SETOWN_EX", fcntl(fd, F_SETOWN_EX, &owner));
    show("F_GETOWN", fcntl(fd, F_GETOWN) == getpid());
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    show("F_GETLK", fcntl(fd, F_GETLK, &range));
    show("F_GETLK", range.l_type == F_UNLCK);
    show("fcntl wrong", fcntl(fd, 12345, 1));
    int left = -1;
    show("FIONREAD", ioctl(fd, FIONREAD, &left));
    show("left", left);
    show("FIOCLEX", ioctl(fd, FIOCLEX));
    show("ioctl wrong", ioctl(fd, 0xc0184b0cul, &left)); // what waits on a device is none here
    show("ioctl wrong", ioctl(-1, 0xc02864c3ul, &left));
    close(fd);
}

static void open_fifo(void *unused)
{
    (void)unused;
    int fd = open("fifo", O_WRONLY);
    if (write(fd, "x", 1) != 1) {
        abort();
    }
    close(fd);
}

static void test_fifo(void)
{
    show("mkfifo", mkfifo("fifo", 0600));
    later(30, open_fifo, NULL);
    expect_begin();
    int fd = open("fifo", O_RDONLY);
    expect_end("open fifo", "pipe");
    show("open fifo", fd >= 0);
    later_join();
    close(fd);
    interrupt_after(30);
    show("open fifo interrupted", open("fifo", O_RDONLY));
    later_join();
    show("unlink", unlink("fifo"));
    show("unlink again", unlink("fifo"));
}

static void test_sync(void)
{
    int fd = open("made", O_RDWR);
    show("write", write(fd, "data", 4));
    show("fsync", fsync(fd));
    show("fdatasync", fdatasync(fd));
    show("sync_file_range", sync_file_range(fd, 0, 4, SYNC_FILE_RANGE_WRITE));
    show("fsync not open", fsync(999));
    show("fsync of a device", fsync(open("/dev/null", O_RDONLY)));
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    show("msync", msync(page, 4096, MS_SYNC));
    show("msync wrong", msync((char *)page + 1, 4096, MS_SYNC));
    show("syncfs not open", syncfs(999));
    close(fd);
    show("rename", rename("made", "moved"));
    show("rename again", rename("made", "moved"));
    show("renameat", renameat(AT_FDCWD, "moved", AT_FDCWD, "made"));
    show("renameat2", renameat2(AT_FDCWD, "made", AT_FDCWD, "moved", RENAME_NOREPLACE));
    show("unlinkat folder", unlinkat(AT_FDCWD, ".", AT_REMOVEDIR));
    show("unlinkat", unlinkat(AT_FDCWD, "moved", 0));
}

static void write_line(void *fd)
{
    if (write(*(int *)fd, "late\n", 5) != 5) {
        abort();
    }
}

static void test_stream(void)
{
    char buf[100] = "";
    char *line = NULL;
    size_t room = 0;
    FILE *stream = fopen("stream", "w+");
    show("fwrite", (long)fwrite("one\ntwo\nthree;four\nfive", 1, 23, stream));
    show("fflush", fflush(stream));
    rewind(stream);
    show_text("fgets", fgets(buf, 3, stream));
    show_text("fgets", fgets(buf, 100, stream));
    show("getline", getline(&line, &room, stream));
    show("getdelim", getdelim(&line, &room, ';', stream));
    show_text("getdelim", line);
    show("fread", (long)fread(buf, 3, 10, stream));
    show("fread at end", (long)fread(buf, 3, 10, stream));
    show("getline at end", getline(&line, &room, stream));
    show("end", feof(stream) != 0);
    show("fflush all", fflush(NULL));
    errno = 7;
    show("fclose", fclose(stream));
    unlink("stream");
    int ends[2];
    show("pipe", pipe(ends));
    stream = fdopen(ends[0], "r");
    later(30, write_line, &ends[1]);
    expect_begin();
    show_text("fgets", fgets(buf, sizeof buf, stream));
    expect_end("fgets", "pipe");
    later_join();
    char *text = NULL;
    size_t len = 0;
    FILE *memory = open_memstream(&text, &len);
    fwrite("abc", 1, 3, memory);
    errno = 0;
    show("fclose memory", fclose(memory));
    show("errno", errno);
    show_text("memory", text);
    free(line);
    free(text);
}

int main(void)
{
    char folder[] = "/tmp/hook-disk-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        return 1;
    }
    test_open();
    test_fifo();
    test_sync();
    test_stream();
    sync();
    return rmdir(folder);
}
