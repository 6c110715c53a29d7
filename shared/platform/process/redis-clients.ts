import type { Socket } from 'node:net';
import { Cluster, type ClusterNode, type Command, Redis, type RedisOptions } from 'ioredis';
import { corkUntilNextTick } from '../cork-until-next-tick.js';

/** The time that an API request waits for Redis before the API returns 503. */
export const REDIS_TIMEOUT_MS = 300;

/** Thrown if Redis did not reply to an API command within `REDIS_TIMEOUT_MS`. */
export class RedisTimeoutError extends Error {
  constructor() {
    super('Redis did not answer in time');
    this.name = 'RedisTimeoutError';
  }
}

/**
 * The timeout consists of this many timer intervals. A pause of this process uses up at most one
 * interval.
 */
const TIMEOUT_INTERVALS = 3;

/** Without the option that ioredis derives types of replies from. */
export type ClientOptions = Omit<RedisOptions, 'replyMapping'>;

const AFTER_END_MS = 50;

interface KeptCommands {
  shift: () => { command: Command } | undefined;
}

/**
 * Connects again when ioredis gives up, and ends at once when closed. ioredis ends a client
 * for good if the sentinels announce a failover while the client asks them for the master, as it
 * does after the master was killed.
 */
class PersistentRedis extends Redis {
  #isClosed = false;

  constructor(options: ClientOptions) {
    super(options as RedisOptions & { replyMapping: 'legacy' });
    this.on('end', () => {
      if (this.#isClosed) this.#rejectUnanswered();
      else if (options.sentinels && !options.lazyConnect) {
        setTimeout(() => this.#connectAgain(), AFTER_END_MS);
      }
    });
  }

  #connectAgain(): void {
    if (this.#isClosed || this.status !== 'end') return;
    // A failure ends the client once more.
    this.connect().catch(() => undefined);
  }

  override disconnect(reconnect = false): void {
    if (!reconnect) {
      this.#isClosed = true;
      if (this.status === 'reconnecting') {
        this.#endWithoutSocket();
        // Behind sentinels, the search for the master must end too.
        if (!this.options.sentinels) return;
      }
    }
    super.disconnect(reconnect);
  }

  /**
   * ioredis ends a client when its socket closes, and between two attempts there is none. As before
   * the first attempt, `wait` makes ioredis end the client at once.
   */
  #endWithoutSocket(): void {
    this.status = 'wait';
    super.disconnect();
  }

  /** ioredis keeps the commands of a lost connection to send them again, even when it ends. */
  #rejectUnanswered(): void {
    const { prevCommandQueue: kept } = this as unknown as { prevCommandQueue?: KeptCommands | null };
    for (let item = kept?.shift(); item; item = kept?.shift()) {
      item.command.reject(new Error('Connection is closed.'));
    }
  }

  override sendCommand(...sent: Parameters<Redis['sendCommand']>): unknown {
    if (sent[0].name === 'quit') this.#isClosed = true;
    return super.sendCommand(...sent);
  }

  /** BullMQ duplicates clients for blocking commands. */
  override duplicate(changed?: Partial<RedisOptions>): Redis {
    return new PersistentRedis({ ...this.options, ...changed });
  }
}

/**
 * Writes the Redis commands of one callback and its microtasks with one system call. ioredis alone
 * uses a system call per command. The connections that BullMQ duplicates for blocking commands
 * still use a system call per command, as do the connections to the nodes of a cluster.
 */
export class BatchingRedis extends PersistentRedis {
  override sendCommand(...sent: Parameters<Redis['sendCommand']>): unknown {
    if (this.stream) corkUntilNextTick(this.stream as Socket);
    return super.sendCommand(...sent);
  }
}

/**
 * Fails a command if Redis has not replied after `REDIS_TIMEOUT_MS`. ioredis's own `commandTimeout`
 * is a single timer. After a pause of this process (a busy machine, a long garbage collection),
 * Node runs timers before it reads sockets. The single timer therefore failed commands whose
 * replies had already arrived. With several intervals, Node reads the socket between two of them.
 */
export class FailFastRedis extends BatchingRedis {
  override sendCommand(...sent: Parameters<Redis['sendCommand']>): unknown {
    const reply = super.sendCommand(...sent);
    const [command] = sent;
    if (!command.isSettled) rejectWhenLate(command);
    return reply;
  }
}

type Options = NonNullable<ConstructorParameters<typeof Cluster<'legacy'>>[1]>;

/**
 * Ends once and stays ended. When several nodes disconnect, ioredis ends the client with the first
 * and sets it to `close` with the next one. A command that is then tried again would wait forever,
 * and BullMQ would connect a closing worker again.
 */
export class EndingCluster extends Cluster<'legacy'> {
  #hasEnded = false;

  constructor(seeds: ClusterNode[], options: Options) {
    super(seeds, options);
    // BullMQ duplicates clients for blocking commands. The generic type does not fit a subclass.
    this.duplicate = ((nodes: ClusterNode[] = [], changed: Options = {}) => {
      const redisOptions = { ...options.redisOptions, ...changed.redisOptions };
      return new EndingCluster(nodes.length > 0 ? nodes : seeds, { ...options, ...changed, redisOptions });
    }) as Cluster<'legacy'>['duplicate'];
    this.on('connecting', () => {
      this.#hasEnded = false;
    });
    this.on('end', () => {
      this.#hasEnded = true;
    });
    this.on('close', () => {
      if (this.#hasEnded && this.status === 'close') this.status = 'end';
    });
  }

  override disconnect(reconnect = false): void {
    const { status } = this;
    super.disconnect(reconnect);
    if (status === 'end') this.status = 'end';
    // As in PersistentRedis: no node will disconnect, so ioredis would not end the client.
    else if (status === 'reconnecting' && !reconnect) this.#endWithoutNodes();
  }

  #endWithoutNodes(): void {
    this.status = 'end';
    const { flushQueue } = this as unknown as { flushQueue: (error: Error) => void };
    flushQueue.call(this, new Error('Connection is closed.'));
    process.nextTick(() => this.emit('end'));
  }
}

/** As {@link FailFastRedis}. The time includes the client's retries at other nodes. */
export class FailFastCluster extends EndingCluster {
  override sendCommand(...sent: Parameters<Cluster['sendCommand']>): unknown {
    const reply = super.sendCommand(...sent);
    const [command] = sent;
    if (!command.isSettled) rejectWhenLate(command);
    return reply;
  }
}

function rejectWhenLate(command: Command): void {
  let intervalsLeft = TIMEOUT_INTERVALS;
  const timer = setInterval(() => {
    intervalsLeft -= 1;
    if (intervalsLeft === 0) command.reject(new RedisTimeoutError());
  }, REDIS_TIMEOUT_MS / TIMEOUT_INTERVALS);
  const stop = () => clearInterval(timer);
  command.promise.then(stop, stop);
}
