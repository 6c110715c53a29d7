import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContractCheck } from './contract-check.js';
import type { Fault } from './fault.js';

/** A request to a double, with its whole body. */
export interface ReceivedCall {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  body: string;
  /** The body as it arrived, for one that is no text. */
  bytes: Buffer;
}

/** A JSON answer of a double. */
export interface DoubleAnswer {
  status: number;
  result: unknown;
  headers?: Record<string, string>;
}

/** When a double received a request. Times are in ms since 1970. */
export interface ArrivedCall {
  name: string;
  /** The credentials of the request, which show its account. */
  authorization: string;
  at: number;
  /** When the next request may come, if this one was refused with a Retry-After header. */
  retryAt?: number;
}

/** A request in the form that the contract check expects. */
type ContractCall = Parameters<ContractCheck['checkRequest']>[0];

/**
 * An HTTP server on loopback that stands in for a vendor. It records violations of the vendor's
 * contract, and misbehaves if a test wants that. A subclass implements the responses of one vendor.
 */
export abstract class VendorDouble {
  /** Requests and answers that the vendor's contract does not allow. */
  readonly violations: string[] = [];
  /** Called for each request, before `misbehave`. */
  onArrival: (call: ArrivedCall) => void = () => undefined;
  /** Called for each request. If the function returns a fault, the double misbehaves that way. */
  misbehave: (name: string) => Fault | undefined = () => undefined;
  origin = '';
  protected abstract readonly contract: ContractCheck | undefined;
  /** The body of the error response that the vendor sends when its own service fails. */
  protected abstract readonly errorBody: object;
  private readonly server = createServer((request, response) => {
    const serve = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = '', headers } = request;
      const url = new URL(request.url ?? '', this.origin);
      const bytes = Buffer.concat(chunks);
      await this.serve({ method, url, headers, body: bytes.toString('utf8'), bytes }, response);
    };
    serve().catch((error: unknown) => {
      this.violations.push(String(error));
      response.destroy();
    });
  });

  private readonly sockets = new Set<Socket>();
  private readonly endedTraffic = { received: 0, sent: 0 };

  /** The bytes that the double has received and sent so far, with all headers. */
  get traffic(): { received: number; sent: number } {
    const sum = { ...this.endedTraffic };
    for (const { bytesRead, bytesWritten } of this.sockets) {
      sum.received += bytesRead;
      sum.sent += bytesWritten;
    }
    return sum;
  }

  async start(port = 0): Promise<this> {
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => {
        this.sockets.delete(socket);
        this.endedTraffic.received += socket.bytesRead;
        this.endedTraffic.sent += socket.bytesWritten;
      });
    });
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, '127.0.0.1', resolve);
    });
    this.origin = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  protected abstract serve(call: ReceivedCall, response: ServerResponse): Promise<void>;

  /** Returns the response to an API request for which the test wants no fault. */
  protected abstract answer(call: ReceivedCall): DoubleAnswer;

  /** Returns the vendor's response to a request that exceeds its rate limit. */
  protected abstract refuseByLimit(seconds: number): DoubleAnswer;

  /** The headers that the vendor adds to each answer. */
  protected abstract buildHeaders(): Record<string, string>;

  /** Answers an API request, unless the test wants a fault for requests with this name. */
  protected async serveCall(name: string, call: ReceivedCall, response: ServerResponse): Promise<void> {
    const arrived: ArrivedCall = {
      name,
      authorization: String(call.headers.authorization ?? ''),
      at: Date.now(),
    };
    this.onArrival(arrived);
    const fault = this.misbehave(name);
    if (fault?.kind === 'slow') await sleep(fault.ms);
    if (fault?.kind === 'cut_before') return void response.destroy();
    if (fault?.kind === 'limit') {
      arrived.retryAt = Date.now() + fault.seconds * 1000;
      return this.send(response, this.refuseByLimit(fault.seconds));
    }
    if (fault?.kind === 'status')
      return this.send(response, { status: fault.status, result: fault.body ?? this.errorBody });
    const answer = this.answer(call);
    if (fault?.kind === 'cut_after') return void response.destroy();
    if (fault?.kind === 'hold') await fault.until;
    this.send(response, answer);
  }

  /** Records and returns the violations of the contract in a request. */
  protected checkRequest(call: ContractCall, faults: readonly string[] = []): string[] {
    const all = [...(this.contract?.checkRequest(call) ?? []), ...faults];
    this.violations.push(...all.map((fault) => `${call.method} ${call.path}: ${fault}`));
    return all;
  }

  /** Records the violations of the contract in a successful response. */
  protected checkAnswer(call: ContractCall, { status, result }: DoubleAnswer): void {
    if (status >= 300) return;
    const faults = this.contract?.checkResponse({ ...call, body: result }, status) ?? [];
    this.violations.push(...faults.map((fault) => `answer to ${call.method} ${call.path}: ${fault}`));
  }

  /** Lists the ways in which an error response differs from those of the vendor. */
  protected listErrorFaults(_answer: DoubleAnswer): string[] {
    return [];
  }

  private send(response: ServerResponse, { status, result, headers }: DoubleAnswer): void {
    if (status >= 400) {
      const faults = this.listErrorFaults({ status, result });
      this.violations.push(...faults.map((fault) => `error response ${status}: ${fault}`));
    }
    response.writeHead(status, { 'content-type': 'application/json', ...this.buildHeaders(), ...headers });
    response.end(JSON.stringify(result));
  }
}
