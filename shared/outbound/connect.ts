import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isAllowedAddress, type OutboundRules } from './addresses.js';
import { connectError, OutboundError, tlsError } from './outbound-error.js';
import type { ResolveHostname } from './resolve.js';
import { isLocalhost, type Target } from './target.js';

/** The client checks all addresses of a name, but tries to connect to at most this many. */
const MAX_ADDRESSES_TRIED = 4;
/**
 * The time after which the client gives up on an address and tries the next one. For the last
 * address, only the request's deadline applies.
 */
const ADDRESS_TIMEOUT_MS = 2000;

export interface ConnectOptions {
  rules: OutboundRules;
  resolve: ResolveHostname;
  /**
   * Aborts the connection attempt and the TLS handshake, and leaves no socket open. A running
   * lookup is not interrupted.
   */
  signal: AbortSignal;
}

export interface ConnectedSocket {
  /** Ready for HTTP. If the URL is https, the TLS handshake is complete. */
  socket: Socket;
  remoteAddress: string;
}

/**
 * Looks the host up, checks its addresses and connects to one of them. Never connects by name, so a
 * DNS change after the check has no effect. The Host header, SNI and the certificate check still
 * use the name.
 * @throws {OutboundError} with the kind blocked_address, dns, connect or tls
 */
export async function connectTo(target: Target, options: ConnectOptions): Promise<ConnectedSocket> {
  const addresses = await findAllowedAddresses(target, options);
  const { socket, remoteAddress } = await connectToFirst(addresses, target.port, options);
  // Before sending anything, even the TLS handshake, check the remote address of the open socket.
  if (!isAllowedAddress(socket.remoteAddress ?? '', options.rules)) {
    socket.destroy();
    throw createBlockedError();
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

function createBlockedError(): OutboundError {
  return new OutboundError('blocked_address', 'The host has an address that is not allowed.');
}

/**
 * Blocks a host if any of its addresses is not allowed. A name with both a public and a private
 * address is an attack or a mistake.
 */
async function findAllowedAddresses(
  { hostname }: Target,
  { rules, resolve }: ConnectOptions,
): Promise<string[]> {
  const addresses = await resolveHostname(hostname, resolve);
  if (!addresses.every((address) => isAllowedAddress(address, rules))) throw createBlockedError();
  return [...new Set(addresses)].slice(0, MAX_ADDRESSES_TRIED);
}

async function resolveHostname(hostname: string, resolve: ResolveHostname): Promise<string[]> {
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
): Promise<ConnectedSocket> {
  let failure: unknown;
  for (const [index, remoteAddress] of addresses.entries()) {
    const isLast = index === addresses.length - 1;
    try {
      const limit = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(ADDRESS_TIMEOUT_MS)]);
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
  return waitForEvent(
    connect({ host: address, port, noDelay: true, autoSelectFamily: false }),
    'connect',
    signal,
  );
}

function startTls(socket: Socket, { hostname }: Target, signal: AbortSignal): Promise<Socket> {
  const name = hostname.replace(/\.$/, '');
  const tlsSocket = connectTls({
    socket,
    // Node checks that the certificate contains `host`, which may be an IP address. SNI
    // (`servername`) may not be an IP address.
    host: name,
    servername: isIP(name) ? '' : name,
    ALPNProtocols: ['http/1.1'],
    // An explicit value, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable the check.
    rejectUnauthorized: true,
  });
  return waitForEvent(tlsSocket, 'secureConnect', signal);
}

/** Waits for an event of the socket. Destroys the socket on failure or abort. */
async function waitForEvent<S extends Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  // This listener stays for the socket's lifetime, because an error event without a listener would
  // end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
