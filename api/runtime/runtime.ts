import { type CursorCodec, createCursorCodec } from '../../shared/contracts/cursor.js';
import { type InvoicePdfs, openInvoicePdfs } from '../../shared/documents/pdf/invoice-pdfs.js';
import type { Vendors } from '../../shared/integrations/contract/vendor.js';
import { openDurableWritePath } from '../../shared/operations/write-path.js';
import { deriveKey } from '../../shared/platform/crypto.js';
import { Admissions } from '../../shared/platform/limits/admissions.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { batchKeyUses, type RecordKeyUse } from '../../shared/queues/key-uses.js';
import type { Submit } from '../../shared/queues/submit.js';
import { deriveAccessLinkKey } from '../../shared/resources/access-mails/link-token.js';
import { type Credentials, openCredentialCache } from '../../shared/resources/api-keys/credential-cache.js';
import { AuditRecorder } from '../../shared/resources/audit-log/recorder.js';
import { deriveWebhookHeadersKey } from '../../shared/resources/webhook-endpoints/headers.js';
import { deriveWebhookSecretsKey } from '../../shared/resources/webhook-endpoints/secret.js';
import { openStorage } from '../../shared/storage/open-storage.js';
import type { Storage } from '../../shared/storage/storage.js';
import { ConsistencyTokens } from '../consistency/consistency-tokens.js';
import { createFactors, type Factors } from '../factors/check-proof.js';
import { EventStreams } from '../stream/event-streams.js';
import { createAccessMailPrompter } from './access-mail-prompter.js';
import { ActiveDownloads } from './downloads.js';
import { createExportLinkMaker, type MakeExportLink } from './export-links.js';
import { createPasswords, type Passwords } from './passwords.js';
import { createReplayPlanner, type ReplayPlanner } from './replay-planner.js';

/** The objects that routes use, in addition to the runtime of the process. */
export interface ApiRuntime extends Runtime {
  submit: Submit;
  /** Limits how many requests this process handles at a time. */
  admissions: Admissions;
  /** The cached keys and sessions of this process. */
  credentials: Credentials;
  /** The vendors that accounts can connect. */
  vendors: Vendors;
  streams: EventStreams;
  cursors: CursorCodec;
  /** Chooses between the primary and the replica for each read. */
  consistency: ConsistencyTokens;
  passwords: Passwords;
  factors: Factors;
  pdfs: InvoicePdfs;
  planReplay: ReplayPlanner;
  /** The storage that contains the files of exports. */
  storage: Storage;
  makeExportLink: MakeExportLink;
  downloads: ActiveDownloads;
  /** Encrypts a new API or agent key. Only the one response that shows the key decrypts it. */
  sealingKey: Buffer;
  /**
   * `secrets` encrypts the signing secrets of webhook endpoints, and `headers` the values of their
   * custom headers.
   */
  webhookKeys: { secrets: Buffer; headers: Buffer };
  /** The key from which the tokens of mailed links are computed. */
  accessLinkKey: Buffer;
  /**
   * Adds a job that wakes the worker for mails that requests without a credential have caused, such
   * as sign-ups. If that fails, the mails are sent later, when the clock process finds them.
   */
  promptAccessMails: () => Promise<void>;
  /** Records that a key was used. The clock worker stores these uses in batches. */
  recordKeyUse: RecordKeyUse;
  /** Stores the audit entries of requests that were refused before they became a command. */
  audit: AuditRecorder;
}

export async function createApiRuntime(runtime: Runtime, vendors: Vendors): Promise<ApiRuntime> {
  const { db, config } = runtime;
  const storage = openStorage(config.exportStorage);
  const consistency = ConsistencyTokens.create(runtime);
  return {
    ...runtime,
    vendors,
    submit: await openDurableWritePath(runtime),
    admissions: new Admissions(config),
    credentials: await openCredentialCache(runtime),
    consistency,
    streams: await EventStreams.create(runtime, () => consistency.issue()),
    passwords: createPasswords(runtime),
    factors: createFactors(runtime),
    pdfs: openInvoicePdfs(runtime),
    planReplay: createReplayPlanner(db),
    storage,
    makeExportLink: createExportLinkMaker(config, storage),
    downloads: new ActiveDownloads(),
    cursors: createCursorCodec(deriveKey(config.secretKey, 'cursor')),
    sealingKey: deriveKey(config.secretKey, 'credentials'),
    webhookKeys: {
      secrets: deriveWebhookSecretsKey(config.secretKey),
      headers: deriveWebhookHeadersKey(config.secretKey),
    },
    accessLinkKey: deriveAccessLinkKey(config),
    promptAccessMails: createAccessMailPrompter(runtime),
    recordKeyUse: batchKeyUses(runtime),
    audit: new AuditRecorder(db),
  };
}
