// SPDX-License-Identifier: Apache-2.0
#include "suggest/chat.h"

#include "suggest/provider.h"

json_t *chat_document(const char *model, const struct prompt *prompt)
{
    return json_pack("{s:s, s:[{s:s, s:s}, {s:s, s:s}], s:b}", "model", model, "messages", "role",
                     "system", "content", prompt->system.data, "role", "user", "content",
                     prompt->user.data, "stream", 1);
}

// A server that cannot stream sends a whole message instead of its pieces.
void chat_read(struct answer *answer, const json_t *document)
{
    const json_t *choice = json_array_get(json_object_get(document, "choices"), 0);
    const json_t *piece = json_object_get(choice, "delta");
    const json_t *whole = json_object_get(choice, "message");
    answer_add(answer, json_object_get(piece ? piece : whole, "content"));
    answer_finish(answer, json_object_get(choice, "finish_reason"), "stop", "length");
    if (!choice) {
        answer_read_problem(answer, document);
    }
}
