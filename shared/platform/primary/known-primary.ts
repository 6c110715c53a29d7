import { describeIdentity, isSamePrimary, type PrimaryIdentity } from './primary-identity.js';

/**
 * Thrown if a transaction runs on a server that is not the newest primary. The code is the SQLSTATE
 * of a failed connection, so every caller closes the connection and tries again.
 */
export class StalePrimaryError extends Error {
  override readonly name = 'StalePrimaryError';
  readonly code = '08006';
}

/** The newest timelines that all processes have seen, by system identifier. */
export interface SharedTimelines {
  /** Resolves with 0 if no process has stored a timeline. */
  read(systemIdentifier: string): Promise<number>;
  /** Stores the timeline unless a later one is stored. */
  raise(identity: PrimaryIdentity): Promise<void>;
}

export type PrimaryChange = (previous: PrimaryIdentity, next: PrimaryIdentity) => void;

/**
 * The newest primary that this process knows. It refuses servers with an earlier timeline of the
 * same system: a standby has replaced them, so what they commit is lost
 * (docs/adr/0035-failover-of-postgresql.md).
 */
export class KnownPrimary {
  #newest: PrimaryIdentity | undefined;
  readonly #listeners: PrimaryChange[] = [];
  /** The systems that another one has replaced. They are refused until the process starts again. */
  readonly #leftSystems = new Set<string>();
  /** The systems whose shared timeline this process has read. */
  readonly #sharedSystems = new Set<string>();

  constructor(private readonly shared?: SharedTimelines) {}

  get newest(): PrimaryIdentity | undefined {
    return this.#newest;
  }

  onChange(listener: PrimaryChange): void {
    this.#listeners.push(listener);
  }

  /**
   * Admits the server of a new connection, and learns its timeline.
   * @throws {StalePrimaryError} if another server has replaced it, or if this process cannot find
   *   out whether one has
   */
  async admit(identity: PrimaryIdentity): Promise<void> {
    await this.#readShared(identity.systemIdentifier);
    this.learn(identity);
    this.assertNewest(identity);
  }

  /**
   * Learns of a primary. An earlier timeline of the same system changes nothing. Another system is
   * a restored or upgraded cluster, which replaces the known one. Connections that still lead to
   * the system before it do not bring it back.
   */
  learn(identity: PrimaryIdentity): void {
    const previous = this.#newest;
    const isKnown = previous?.systemIdentifier === identity.systemIdentifier;
    if (isKnown && previous.timeline >= identity.timeline) return;
    if (this.#leftSystems.has(identity.systemIdentifier)) return;
    if (previous && !isKnown) this.#leftSystems.add(previous.systemIdentifier);
    this.#newest = identity;
    if (previous) for (const listener of this.#listeners) listener(previous, identity);
  }

  /** @throws {StalePrimaryError} */
  assertNewest(identity: PrimaryIdentity): void {
    const newest = this.#newest;
    if (newest && isSamePrimary(newest, identity)) return;
    throw new StalePrimaryError(
      `refused a server of PostgreSQL with ${describeIdentity(identity)}: the newest primary has ${newest ? describeIdentity(newest) : 'none'}`,
    );
  }

  /** Exchanges the newest timeline with the other processes. */
  async exchange(): Promise<void> {
    const { shared } = this;
    const newest = this.#newest;
    if (!shared || !newest) return;
    const { systemIdentifier } = newest;
    const timeline = await shared.read(systemIdentifier);
    // Another system may have replaced this one meanwhile.
    if (this.#newest?.systemIdentifier !== systemIdentifier) return;
    this.#sharedSystems.add(systemIdentifier);
    if (timeline > newest.timeline) this.learn({ systemIdentifier, timeline });
    else if (timeline < newest.timeline) await shared.raise(newest);
  }

  /**
   * Reads the shared timeline before this process writes to a system for the first time. A process
   * that starts while an old primary still accepts connections knows no timeline of its own.
   */
  async #readShared(systemIdentifier: string): Promise<void> {
    if (!this.shared || this.#sharedSystems.has(systemIdentifier)) return;
    let timeline: number;
    try {
      timeline = await this.shared.read(systemIdentifier);
    } catch (cause) {
      throw new StalePrimaryError('the newest timeline cannot be read from Redis', { cause });
    }
    this.#sharedSystems.add(systemIdentifier);
    if (timeline > 0) this.learn({ systemIdentifier, timeline });
  }
}
