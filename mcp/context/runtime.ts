import { type CursorCodec, createCursorCodec } from '../../shared/contracts/cursor.js';
import { openDurableWritePath } from '../../shared/operations/write-path.js';
import { deriveKey } from '../../shared/platform/crypto.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { batchKeyUses, type RecordKeyUse } from '../../shared/queues/key-uses.js';
import type { Submit } from '../../shared/queues/submit.js';
import { type Credentials, openCredentialCache } from '../../shared/resources/api-keys/credential-cache.js';
import { AuditRecorder } from '../../shared/resources/audit-log/recorder.js';
import { DispatchBoardReader } from '../../shared/resources/dispatch-board/board-reader.js';

/** The objects that tools and resources use, in addition to the runtime of the process. */
export interface McpRuntime extends Runtime {
  submit: Submit;
  cursors: CursorCodec;
  boards: DispatchBoardReader;
  audit: AuditRecorder;
  credentials: Credentials;
  recordKeyUse: RecordKeyUse;
}

export async function createMcpRuntime(runtime: Runtime): Promise<McpRuntime> {
  const { db, config } = runtime;
  return {
    ...runtime,
    submit: await openDurableWritePath(runtime),
    cursors: createCursorCodec(deriveKey(config.secretKey, 'cursor')),
    boards: new DispatchBoardReader('agent'),
    audit: new AuditRecorder(db),
    credentials: await openCredentialCache(runtime),
    recordKeyUse: batchKeyUses(runtime),
  };
}
