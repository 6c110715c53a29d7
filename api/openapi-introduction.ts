/**
 * What a reader has to know before the first call; `info.description` of the document, in Markdown.
 */
export const introduction = `Invoices, work orders and customers of a tow company.

### Keys
Send \`Authorization: Bearer tk_live_…\`. A key that begins with \`tk_test_\` belongs to the sandbox of the account, which nothing leaves.
A key has permissions (read, write, approve, admin) or, as an agent key, scopes. \`GET /me\` shows them.
Signed-in people use a cookie instead: \`POST /session\`.

### Lists and pages
A list is \`{ok, data: {items, cursor, count}}\`, newest first. Pass \`data.cursor\` as \`cursor\` to get the next page; on the last page it is null.
A page may hold fewer items than \`limit\`, because it ends at 4 MiB: go on until \`cursor\` is null.
A cursor belongs to the filters that it was made with.
\`since\` is inclusive and \`until\` exclusive. A plain date means midnight in the account's time zone.

### Answers and errors
A single record stands alone. An error is \`{ok: false, error: {code, message, details, requestId}}\`: \`code\` is for programs and \`message\` for people.
\`details\` names every fault of a request at once. Quote \`X-Request-Id\` to support.

### Idempotency
Send a fresh UUID as \`Idempotency-Key\` with each write, and the same UUID when you repeat it. Within 24 hours a repetition gets the first answer, with \`X-Idempotency-Replay: true\`.
Another body under the same key is 422.

### Dry run
With \`X-Service-Dry-Run: true\` a write is checked and previewed, and nothing is stored. The answer is 200 and a preview such as DryRunOfInvoice.

### 201, 200 and 202
A write is answered once it is committed. When the commit takes longer than the write timeout, the answer is 202 with an \`operation_id\`: the write will run by itself, and \`GET /operations/{id}\` tells its outcome.
An agent's write that reaches the account's limit is also 202, with \`pending_approval: true\`, and waits for a person.
In this document \`responses\` holds what a plain call gets, and \`x-other-responses\` holds the dry run and the 202.

### If-Match
A record that can change has an \`ETag\`. Send it back as \`If-Match\`: if the record has changed since, the answer is 412 and says what changed.

### Limits
Each key has a limit per minute and one per hour. \`X-RateLimit-Remaining\`, \`RateLimit\` and \`RateLimit-Policy\` tell where it stands. Beyond the limit the answer is 429 with \`Retry-After\`.
All API keys of an account together have five times the limits of one, all its agents another five times, all its people twenty times.
A body may have 1 MiB.

### Unknown names
Unknown query parameters and body members are ignored, and named in the header \`X-Service-Warnings\`. Look at it while you develop: it finds misspelt names.
Blanks around a text are dropped before it is checked.`;
