// SPDX-License-Identifier: Apache-2.0
#include "suggest/refusal.h"

#include <curl/curl.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "suggest/answer.h"

#define RETRY_MAX_S (24 * 3600)

static const json_t *error_of(const json_t *root)
{
    return json_object_get(json_is_array(root) ? json_array_get(root, 0) : root, "error");
}

// {"error": {"details": [{"retryDelay": "34s"}]}}, as Google says it.
static double retry_delay_s(const json_t *root)
{
    const json_t *details = json_object_get(error_of(root), "details");
    for (size_t i = 0; i < json_array_size(details); i++) {
        const json_t *delay = json_object_get(json_array_get(details, i), "retryDelay");
        if (json_is_string(delay)) {
            return strtod(json_string_value(delay), NULL);
        }
    }
    return 0;
}

static bool says(const json_t *object, const char *key, const char *word)
{
    const char *said = json_string_value(json_object_get(object, key));
    return said && strcmp(said, word) == 0;
}

// OpenAI's and Anthropic's words for an account that has nothing left: these are limits too, but no
// waiting helps.
static bool is_spent(const json_t *root)
{
    const json_t *error = error_of(root);
    return says(error, "code", "insufficient_quota") || says(error, "type", "insufficient_quota") ||
           says(error, "type", "billing_error") ||
           says(json_object_get(error, "details"), "error_code", "enforced_spend_limit_reached");
}

static const char *advice(long status)
{
    switch (status) {
    case 401:
    case 403:
        return "; check the key";
    case 404:
        return "; check the model's name and the address (scalene propose --models lists the "
               "models)";
    case 413:
        return "; choose a smaller region with --only-line";
    case 429:
        return "; it asks to wait before the next try";
    case 529:
        return "; it has too much to do, so try again later";
    default:
        return status >= 300 && status < 400 ? "; give the address it has moved to with --address"
               : status >= 500               ? "; the fault is there, so try again later"
                                             : "";
    }
}

static void add_advice(struct text *out, const struct refusal *refusal, const json_t *root)
{
    double retry_s = refusal->retry_after_s > 0 ? refusal->retry_after_s : retry_delay_s(root);
    if (is_spent(root)) {
        text_add(out, "; waiting does not help: the account has nothing left to spend");
    } else if (retry_s > 0 && retry_s < RETRY_MAX_S) {
        text_format(out, "; it asks to wait %.0f s before the next try", ceil(retry_s));
    } else {
        text_add(out, advice(refusal->status));
    }
}

void refusal_add(struct text *out, const struct refusal *refusal)
{
    struct answer said = {0};
    json_t *root = json_loadb(refusal->body ? refusal->body : "", refusal->body_len, 0, NULL);
    bool has_reason = answer_read_problem(&said, root);
    answer_tidy_problem(&said, refusal->access);
    text_format(out, "%s answered %ld%s%s", refusal->host, refusal->status, has_reason ? ": " : "",
                has_reason ? said.problem.data : "");
    add_advice(out, refusal, root);
    answer_clear(&said);
    json_decref(root);
}

// "retry-after-ms: 1500", which some send beside a rounded "retry-after".
double refusal_retry_after_s(const char *header, size_t len)
{
    static const char name[] = "retry-after-ms:";
    char value[32];
    size_t name_len = sizeof name - 1;
    if (len <= name_len || len - name_len >= sizeof value ||
        strncasecmp(header, name, name_len) != 0) {
        return 0;
    }
    memcpy(value, header + name_len, len - name_len);
    value[len - name_len] = '\0';
    double ms = strtod(value, NULL);
    return ms > 0 ? ms / 1000 : 0;
}

void refusal_add_failure(struct text *out, const char *host, int code, const char *words)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
        text_format(out, "cannot reach %s: %s; is there a network, and does the server run?", host,
                    words);
        break;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CONNECT_ERROR:
        text_format(out,
                    "%s does not prove who it is, so nothing was sent: %s; a certificate authority "
                    "of your own goes into the file that SSL_CERT_FILE names",
                    host, words);
        break;
    case CURLE_OPERATION_TIMEDOUT:
        text_format(out, "%s took too long: %s; try again, or allow more with --timeout", host,
                    words);
        break;
    default:
        text_format(out, "the connection to %s broke before the answer was complete: %s", host,
                    words);
    }
}
