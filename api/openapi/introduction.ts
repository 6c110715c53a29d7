/**
 * The text of `info.description`. It explains what a client developer must know before the first
 * call.
 */
export const introduction = `Invoices, work orders and customers of a tow company.

### Keys
Send \`Authorization: Bearer tk_live_…\`. A key that begins with \`tk_test_\` belongs to the account's sandbox, which never mails or texts customers.
A key has permissions (read, write, approve, admin) or, as an agent key, scopes. \`GET /me\` shows them.
Signed-in people use a cookie instead: \`POST /session\`.

### Lists and pages
A list is \`{ok, data: {items, cursor, count}}\`, newest first unless \`sort\` names another sequence. Pass \`data.cursor\` as \`cursor\` to get the next page; on the last page it is null.
A page may have fewer items than \`limit\`, because it ends at 4 MiB. Continue until \`cursor\` is null.
A cursor is valid only with the filters and the sort that created it.
\`since\` is inclusive and \`until\` exclusive. A plain date means midnight in the account's time zone.

### Responses and errors
A single record has no envelope. An error is \`{ok: false, error: {code, message, details, requestId}}\`: \`code\` is for programs and \`message\` for people.
\`details\` lists all validation errors of a request. Quote \`X-Request-Id\` to support.

### Idempotency
Send a new UUID as \`Idempotency-Key\` with each write, and the same UUID when you retry it. Within 24 hours a retry gets the first response, with \`X-Idempotency-Replay: true\`.
The same key with another body is 422.

### Dry run
With \`X-Service-Dry-Run: true\` a write is checked and previewed, and nothing is stored. The response is 200 with a preview such as DryRunOfInvoice.

### 201, 200 and 202
The service responds to a write once it is committed. If the commit takes longer than the write timeout, the response is 202 with an \`operation_id\`. The write still runs, and \`GET /operations/{id}\` returns its outcome.
An agent's write that reaches the account's approval threshold also gets 202, with \`pending_approval: true\`, and waits for a person.
In this document \`responses\` contains the response to a plain call. \`x-other-responses\` contains the dry run and the 202.

### If-Match
A record that can change has an \`ETag\`. Send it back as \`If-Match\`. If the record has changed since, the response is 412 and lists the changes.

### Limits
Each key has a limit per minute and one per hour. \`X-RateLimit-Remaining\`, \`RateLimit\` and \`RateLimit-Policy\` report its current use. Beyond the limit the response is 429 with \`Retry-After\`.
All API keys of an account together have five times the limits of one key. All its agents together have another five times, and all its people twenty times.
A body may have at most 1 MiB.

### Unknown names
Unknown query parameters and body members are ignored. The header \`X-Service-Warnings\` lists them. Check it during development: it reveals misspelled names.
Whitespace around a text is removed before validation.`;
