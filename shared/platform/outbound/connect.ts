import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isAllowedAddress, type OutboundRules } from './addresses.js';
import { connectError, OutboundError, tlsError } from './outbound-error.js';
import type { Resolve } from './resolve.js';
import { isLocalhost, type Target } from './target.js';

/** However many addresses a name has, no more are tried. All of them are checked. */
const MAX_TRIED = 4;
/** How long one address is tried while there is another. */
const TRY_MS = 2000;

export interface ConnectOptions {
  rules: OutboundRules;
  resolve: Resolve;
  /** Ends everything under way; nothing is left connected. */
  signal: AbortSignal;
}

export interface Connected {
  /** Ready for HTTP: over TLS already where the scheme asks for it. */
  socket: Socket;
  remoteAddress: string;
}

/**
 * Connects to an address that was checked, never to a name: what a name server says next does not matter. Host header, SNI and certificate stay the name's.
 * @throws {OutboundError} with the kind blocked_address, dns, connect or tls
 */
export async function connectTo(target: Target, options: ConnectOptions): Promise<Connected> {
  const addresses = await addressesOf(target, options);
  const { socket, remoteAddress } = await connectToFirst(addresses, target.port, options);
  // Asked once more of the socket itself, and before a byte (TLS's first as well) is sent.
  if (!isAllowedAddress(socket.remoteAddress ?? '', options.rules)) {
    socket.destroy();
    throw blocked();
  }
  if (!target.isSecure) return { socket, remoteAddress };
  try {
    return { socket: await startTls(socket, target, options.signal), remoteAddress };
  } catch (error) {
    const failure = tlsError(error);
    failure.remoteAddress = remoteAddress;
    throw failure;
  }
}

function blocked(): OutboundError {
  return new OutboundError('blocked_address', 'The host has an address that is not allowed.');
}

/** One address that is refused refuses all: a name with a public and a private address is an attack or a mistake. */
async function addressesOf({ hostname }: Target, { rules, resolve }: ConnectOptions): Promise<string[]> {
  const addresses = await lookUp(hostname, resolve);
  if (!addresses.every((address) => isAllowedAddress(address, rules))) throw blocked();
  return [...new Set(addresses)].slice(0, MAX_TRIED);
}

async function lookUp(hostname: string, resolve: Resolve): Promise<string[]> {
  if (isIP(hostname)) return [hostname];
  if (isLocalhost(hostname)) return ['127.0.0.1', '::1'];
  try {
    return await resolve(hostname);
  } catch {
    throw new OutboundError('dns', 'The name of the host has no address.');
  }
}

async function connectToFirst(
  addresses: string[],
  port: number,
  { signal }: ConnectOptions,
): Promise<Connected> {
  let failure: unknown;
  for (const [index, remoteAddress] of addresses.entries()) {
    const isLast = index === addresses.length - 1;
    try {
      const limit = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)]);
      return { socket: await connectTcp(remoteAddress, port, limit), remoteAddress };
    } catch (error) {
      failure = error;
      if (signal.aborted) break;
    }
  }
  throw connectError(failure);
}

async function connectTcp(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  return ready(connect({ host: address, port, noDelay: true, autoSelectFamily: false }), 'connect', signal);
}

function startTls(socket: Socket, { hostname }: Target, signal: AbortSignal): Promise<Socket> {
  const name = hostname.replace(/\.$/, '');
  const secured = connectTls({
    socket,
    // The name on the certificate; an address may stand there as well, but is no SNI.
    host: name,
    servername: isIP(name) ? '' : name,
    ALPNProtocols: ['http/1.1'],
    // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
    rejectUnauthorized: true,
  });
  return ready(secured, 'secureConnect', signal);
}

/** The socket once the event has come; destroyed when it fails or nobody waits any more. */
async function ready<S extends Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  // For its whole life: an error that nobody listens to would end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
