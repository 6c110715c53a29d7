import { type CursorCodec, createCursorCodec } from '../shared/contracts/cursor.js';
import type { Principal } from '../shared/contracts/principal.js';
import { deriveKey } from '../shared/platform/crypto.js';
import { createGate, type Gate } from '../shared/platform/gate.js';
import type { Runtime } from '../shared/platform/runtime.js';
import { enqueueKeyUses, type KeyUse, openClockQueue } from '../shared/queues/clock.js';
import { openWritePath, type Submit } from '../shared/queues/submit.js';
import { findResult, storeOperation } from '../shared/resources/operations/store.js';
import { webhookHeadersKey } from '../shared/resources/webhook-endpoints/headers.js';
import { webhookSecretsKey } from '../shared/resources/webhook-endpoints/secret.js';
import { createPasswords, type Passwords } from './passwords.js';
import { createReplayPlanner, type ReplayPlanner } from './replay-planner.js';
import { EventStreams } from './stream/event-streams.js';

/** What the routes stand on, beside the process's own runtime. */
export interface ApiRuntime extends Runtime {
  submit: Submit;
  streams: EventStreams;
  cursors: CursorCodec;
  passwords: Passwords;
  /** Lets one PDF be made at a time: a long invoice takes half a second of this process, and side by side a hundred would let nobody else in. */
  pdfs: Gate;
  planReplay: ReplayPlanner;
  /** Encrypts credentials on their way to the one answer that shows them. */
  sealingKey: Buffer;
  /** Encrypt what is kept of webhook endpoints: what signs deliveries, and the values of custom headers. */
  webhookKeys: { secrets: Buffer; headers: Buffer };
  /** Notes that a key or session was used; told to the clock once a minute. */
  noteKeyUse: (key: Principal) => void;
}

/** How long the clock leaves an operation alone after it was stored: its job may still be on its way. */
const FIRST_LEASE_SECONDS = 5;
const KEY_USE_INTERVAL_MS = 60_000;

export async function createApiRuntime(runtime: Runtime): Promise<ApiRuntime> {
  const { db, config } = runtime;
  const submit = await openWritePath(runtime, async (command) => {
    const result = await findResult(db, command);
    if (result) return result;
    await storeOperation(db, command, FIRST_LEASE_SECONDS);
    return { id: command.id, accepted: true };
  });
  return {
    ...runtime,
    submit,
    streams: await EventStreams.create(runtime),
    passwords: createPasswords(runtime),
    pdfs: createGate({ atOnce: 1, waiting: 10 }),
    planReplay: createReplayPlanner(db),
    cursors: createCursorCodec(deriveKey(config.secretKey, 'cursor')),
    sealingKey: deriveKey(config.secretKey, 'credentials'),
    webhookKeys: {
      secrets: webhookSecretsKey(config.secretKey),
      headers: webhookHeadersKey(config.secretKey),
    },
    noteKeyUse: gatherKeyUses(runtime),
  };
}

function gatherKeyUses(runtime: Runtime): ApiRuntime['noteKeyUse'] {
  const queue = openClockQueue(runtime);
  let uses = new Map<string, KeyUse>();
  const flush = () => {
    if (uses.size === 0) return;
    const batch = [...uses.values()];
    uses = new Map();
    enqueueKeyUses(queue, batch).catch((error: unknown) =>
      runtime.logger.warn({ err: error, keys: batch.length }, 'last use of keys not recorded'),
    );
  };
  const timer = setInterval(flush, KEY_USE_INTERVAL_MS);
  runtime.lifecycle.onClose('key uses', () => clearInterval(timer));
  return ({ id: keyId, tenantId, session }) => {
    const id = session?.id ?? keyId;
    if (uses.has(id)) return;
    const at = new Date().toISOString();
    uses.set(
      id,
      session ? { tenant_id: session.tenantId, id, at, session: true } : { tenant_id: tenantId, id, at },
    );
    if (uses.size === 1) setTimeout(flush, 1000).unref();
  };
}
