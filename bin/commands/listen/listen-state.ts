import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../../shared/platform/crypto.js';
import { getErrorCode } from '../../../shared/platform/errors.js';
import { writePrivateFile } from '../../../shared/platform/files/private-file.js';
import type { Lifecycle } from '../../../shared/platform/lifecycle.js';
import { generateSecret } from '../../../shared/resources/webhook-endpoints/secret.js';
import { CliError, EXIT } from '../../cli/exit-codes.js';
import { AlreadyOwnedError, acquireOwnerLock } from '../../embedded-postgres/owner.js';

interface Stored {
  /** Shows people which target the file belongs to. The program does not read this field. */
  forward_to: string;
  secret: string;
  /**
   * The target has answered every event up to this id. Null if the next run begins with new events.
   */
  last_event_id: string | null;
}

/** The state of `tow listen` for one key and one target, stored in `<DATA_DIR>/listen-….json`. */
export class ListenState {
  private constructor(
    private readonly path: string,
    private stored: Stored,
  ) {}

  static async find(dataDir: string, key: string, target: string): Promise<ListenState | undefined> {
    const path = statePath(dataDir, key, target);
    const stored = await readStored(path);
    return stored && new ListenState(path, stored);
  }

  /**
   * Loads or creates the state, and locks it until this process ends. Without the lock, one process
   * could save an id before another process has forwarded an earlier event. The next run would then
   * skip that event.
   * @throws {CliError} `already_listening` if another process has the lock
   */
  static async acquire(
    dataDir: string,
    { key, target }: { key: string; target: string },
    lifecycle: Lifecycle,
  ): Promise<ListenState> {
    const path = statePath(dataDir, key, target);
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const lock = await acquireOwnerLock(path.replace(/json$/, 'pid'), path).catch((error: unknown) => {
      if (!(error instanceof AlreadyOwnedError)) throw error;
      const message = `Another \`tow listen\` (pid ${error.pid}) already forwards the events of this key to ${target}. Stop it first.`;
      throw new CliError('already_listening', message, EXIT.failed);
    });
    lifecycle.onClose('listen lock', () => lock.release());
    const found = await ListenState.find(dataDir, key, target);
    if (found) return found;
    const state = new ListenState(path, {
      forward_to: target,
      secret: generateSecret(),
      last_event_id: null,
    });
    await state.save(null);
    return state;
  }

  get secret(): string {
    return this.stored.secret;
  }

  get lastEventId(): string | null {
    return this.stored.last_event_id;
  }

  /**
   * Saves the id up to which the target has answered every event. Null means that the next run
   * begins with new events.
   */
  async save(lastEventId: string | null): Promise<void> {
    this.stored = { ...this.stored, last_event_id: lastEventId };
    await writePrivateFile(this.path, `${JSON.stringify(this.stored, null, 2)}\n`);
  }
}

/**
 * Returns the path of the state file. Its name contains a hash of the key. The hash does not reveal
 * the key, because the key's 256 random bits cannot be guessed.
 */
function statePath(dataDir: string, key: string, target: string): string {
  const name = sha256(`${key} ${target}`).toString('hex').slice(0, 16);
  return join(dataDir, `listen-${name}.json`);
}

async function readStored(path: string): Promise<Stored | undefined> {
  try {
    const stored = JSON.parse(await readFile(path, 'utf8')) as Stored;
    if (typeof stored.secret === 'string' && stored.last_event_id !== undefined) return stored;
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  const message = `${path} is damaged. Delete it to start again with a new secret and only new events.`;
  throw new CliError('state_damaged', message, EXIT.failed);
}
