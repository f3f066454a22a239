// SPDX-License-Identifier: Apache-2.0
#include "collect/operator_name.h"

#include <ctype.h>
#include <string.h>

static const char *const libraries[] = {
    "at::",    "c10::",      "torch::",       "caffe2::",          "xla::",
    "tsl::",   "jax::",      "ynn::",         "jaxlib::",          "llvm::",
    "mlir::",  "absl::",     "dnnl::",        "slinky::",          "tensorflow::",
    "Eigen::", "nanobind::", "ynn_runtime::", "stream_executor::",
};

// Of a general library: of interest when it works on what one of the others has.
static const char *const general[] = {"std::", "__gnu_cxx::"};

// What a dispatcher's step is called by; what follows or precedes is the operator.
static const char dispatch_prefix[] = "at::_ops::";
static const char dispatch_name[] = "c10::dispatch";
static const char invoke_name[] = "std::invoke";

// How a function object is called, in so many words.
static const struct {
    const char *prefix;
    const char *step;
} steps[] = {
    {"c10::impl::wrap_kernel_functor", dispatch_name},
    {"c10::Dispatcher::call", dispatch_name},
    {"c10::Dispatcher::redispatch", dispatch_name},
    {"c10::function_ref", invoke_name},
    {"std::_Function_handler", invoke_name},
    {"std::_Function_base", invoke_name},
    {"std::__invoke", invoke_name},
    {"absl::internal_any_invocable::", invoke_name},
    {"llvm::function_ref", invoke_name},
    {"slinky::function_ref", invoke_name},
    {"nanobind::detail::func_create", invoke_name},
};

static bool begins_with_any(const char *name, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_library(const char *name)
{
    return begins_with_any(name, libraries, sizeof libraries / sizeof *libraries);
}

static bool is_general(const char *name)
{
    return begins_with_any(name, general, sizeof general / sizeof *general);
}

// A function of the standard library that was not shortened has its parameters.
bool operator_name_is(const char *name)
{
    return is_library(name) || (is_general(name) && !strpbrk(name, "(<"));
}

bool operator_name_is_step(const char *name)
{
    return strcmp(name, dispatch_name) == 0 || strcmp(name, invoke_name) == 0;
}

bool operator_name_is_unnamed(const char *name)
{
    static const char *const files[] = {"libtorch", "libc10", "libjax", "libtensorflow",
                                        "xla_extension"};
    return begins_with_any(name, files, sizeof files / sizeof *files) && strstr(name, "+0x");
}

// Past the matching end of the bracket at `text`, or at the end of the text.
static const char *skip_bracket(const char *text)
{
    int depth = 0;
    do {
        if (strchr("<({[", *text)) {
            depth++;
        } else if (strchr(">)}]", *text)) {
            depth--;
        }
        text++;
    } while (*text && depth > 0);
    return text;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '~' || c == '$';
}

// Scopes that only tell of a version, or that something has no name.
static size_t empty_scope(const char *name)
{
    static const char unnamed[] = "(anonymous namespace)::";
    if (strncmp(name, unnamed, sizeof unnamed - 1) == 0) {
        return sizeof unnamed - 1;
    }
    size_t digits = strncmp(name, "lts_", 4) == 0 ? strspn(name + 4, "0123456789") : 0;
    return digits > 0 && strncmp(name + 4 + digits, "::", 2) == 0 ? 4 + digits + 2 : 0;
}

static bool is_text(const struct text *text, const char *expected)
{
    return text->len == strlen(expected) && memcmp(text->data, expected, text->len) == 0;
}

// Returns what follows.
static const char *add_operator(struct text *plain, const char *name)
{
    text_add(plain, "operator");
    name += 8;
    for (; *name && *name != '(' && !isspace((unsigned char)*name); name++) {
        text_add_char(plain, *name);
    }
    return strncmp(name, "()", 2) == 0 ? name + 2 : name;
}

// Scopes and names alone: template arguments, parameters, unnamed scopes and what a function
// returns are left out.
static void add_plain(struct text *plain, const char *name)
{
    while (*name) {
        if (empty_scope(name) > 0) {
            name += empty_scope(name);
        } else if (strncmp(name, "{lambda", 7) == 0) {
            text_add(plain, "lambda");
            name = skip_bracket(name);
        } else if (strncmp(name, "operator", 8) == 0 && !is_word(name[8])) {
            name = add_operator(plain, name);
        } else if (*name == '<' || *name == '[') {
            name = skip_bracket(name);
        } else if (*name == '(') {
            const char *after = skip_bracket(name);
            // Parameters: only those of an outer scope go on, and what is no parameter.
            if (strncmp(after, "::", 2) != 0 && !is_text(plain, "decltype")) {
                return;
            }
            name = after;
        } else if (*name == ' ') {
            plain->len = 0; // what stood before was the type that it returns
            name++;
        } else {
            text_add_char(plain, *name++);
        }
    }
}

static bool has_suffix(const struct text *text, const char *suffix)
{
    size_t len = strlen(suffix);
    return text->len > len && memcmp(text->data + text->len - len, suffix, len) == 0;
}

static void cut_suffix(struct text *text, const char *suffix)
{
    if (has_suffix(text, suffix)) {
        text->len -= strlen(suffix);
        text->data[text->len] = '\0';
    }
}

// Clang numbers lambdas.
static void cut_number(struct text *text)
{
    size_t len = text->len;
    while (len > 0 && isdigit((unsigned char)text->data[len - 1])) {
        len--;
    }
    if (len < text->len && len > 4 && memcmp(text->data + len - 4, "::$_", 4) == 0) {
        text->len = len - 4;
        text->data[text->len] = '\0';
    }
}

// A lambda is named for the operator that it is part of.
static void cut_lambdas(struct text *plain)
{
    size_t before;
    do {
        before = plain->len;
        cut_suffix(plain, "::operator");
        cut_suffix(plain, "::__invoke");
        cut_suffix(plain, "::lambda");
        cut_number(plain);
    } while (plain->len < before);
}

static const char *step_of(const char *plain)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (strncmp(plain, steps[i].prefix, strlen(steps[i].prefix)) == 0) {
            return steps[i].step;
        }
    }
    return NULL;
}

static void shorten(struct text *out, struct text *plain)
{
    const char *step = step_of(plain->data);
    if (step) {
        text_add(out, step);
        return;
    }
    cut_lambdas(plain);
    if (strncmp(plain->data, dispatch_prefix, sizeof dispatch_prefix - 1) == 0) {
        cut_suffix(plain, "::call");
        cut_suffix(plain, "::redispatch");
        text_add(out, "at::");
        text_add(out, plain->data + sizeof dispatch_prefix - 1);
    } else {
        text_add(out, plain->data);
    }
}

static bool mentions(const char *name, const char *library)
{
    const char *found = strstr(name, library);
    while (found && found > name && (is_word(found[-1]) || found[-1] == ':')) {
        found = strstr(found + 1, library);
    }
    return found;
}

// Anywhere in the name, as of the types that a template is made for.
static bool mentions_library(const char *name)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (mentions(name, libraries[i])) {
            return true;
        }
    }
    return false;
}

bool operator_name(struct text *out, const char *name)
{
    struct text plain = {0};
    add_plain(&plain, name);
    bool is_one = plain.len > 0;
    if (is_one) {
        text_add_char(&plain, '\0');
        plain.len--;
        is_one = is_library(plain.data) || (is_general(plain.data) && mentions_library(name));
    }
    if (is_one) {
        shorten(out, &plain);
    }
    text_clear(&plain);
    return is_one;
}
