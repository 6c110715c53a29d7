import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A TCP address that leads to a server on this machine. A test can let it lead to another server,
 * as a virtual address does after a failover, or stop or delay all bytes on their way. Without a
 * target, it accepts each connection and closes it at once, as HAProxy does.
 */
export class TcpForwarder {
  private readonly pairs = new Set<[Socket, Socket]>();
  private isHeld = false;
  /** The time that each byte needs for its way, in each direction. */
  delayMs = 0;
  /** The number of connections so far. */
  connectionCount = 0;

  private constructor(
    private readonly server: Server,
    /** The port that new connections lead to. */
    public target: number | undefined,
  ) {
    server.on('connection', (client) => this.forward(client));
  }

  static async start(target?: number, host = '127.0.0.1'): Promise<TcpForwarder> {
    const server = createServer();
    const forwarder = new TcpForwarder(server, target);
    server.listen(0, host);
    await once(server, 'listening');
    return forwarder;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Leads to another port from now on, and cuts all connections. */
  leadTo(target: number): void {
    this.target = target;
    this.cut();
  }

  /** Keeps the connections open, but lets no further byte pass. */
  hold(): void {
    this.isHeld = true;
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  /** Lets all bytes pass again after {@link hold}. */
  release(): void {
    this.isHeld = false;
    for (const pair of this.pairs) for (const socket of pair) socket.resume();
  }

  async stop(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Ends all connections. */
  cut(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }

  private forward(client: Socket): void {
    this.connectionCount += 1;
    if (this.target === undefined) {
      client.on('error', () => undefined).destroySoon();
      return;
    }
    const server = connect(this.target, '127.0.0.1');
    const pair: [Socket, Socket] = [client, server];
    this.pairs.add(pair);
    for (const [from, to] of [pair, [server, client] as const]) {
      from.setNoDelay();
      from.on('data', this.createWriter(to));
      from.on('error', () => undefined);
      from.on('close', () => {
        this.pairs.delete(pair);
        to.destroy();
      });
      if (this.isHeld) from.pause();
    }
  }

  /** Returns a function that writes bytes in their order, each after the delay at its arrival. */
  private createWriter(to: Socket): (bytes: Buffer) => void {
    let waitingCount = 0;
    let last = Promise.resolve();
    return (bytes) => {
      if (this.delayMs === 0 && waitingCount === 0) return void to.write(bytes);
      const dueAt = Date.now() + this.delayMs;
      waitingCount += 1;
      last = last.then(async () => {
        await sleep(dueAt - Date.now());
        waitingCount -= 1;
        to.write(bytes);
      });
    };
  }
}
