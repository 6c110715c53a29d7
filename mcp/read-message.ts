import type { IncomingMessage } from 'node:http';
import {
  ErrorCode,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCRequest,
  type JSONRPCResponse,
} from '@modelcontextprotocol/sdk/types.js';
import { excludes } from '../shared/contracts/accept.js';
import { faultsOfTexts, parseStrictJson } from '../shared/contracts/strict-json.js';
import type { JsonFault } from '../shared/contracts/strict-json-inspector.js';
import { AppError, type ErrorDetail } from '../shared/platform/errors.js';
import { RpcError } from './rpc-error.js';

/** Largest message in bytes (decisions 5, Limits). */
const MAX_BYTES = 1024 * 1024;
/** So much of a message that is refused is read and thrown away. */
const MAX_DISCARDED_BYTES = 16 * MAX_BYTES;

const JSON_RANGES = ['application/json', 'application/*', '*/*'];

/** The client went away in the middle of its message. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export interface Message {
  /** Undefined: a notification or an answer, to which nothing is said. */
  request: JSONRPCRequest | undefined;
  /** To a request of ours. */
  answer: JSONRPCResponse | undefined;
  /** Arguments of a tool call whose text cannot be stored; the call is answered with them. */
  argumentFaults?: ErrorDetail[] | undefined;
  bytes: number;
}

/**
 * Reads the one JSON-RPC message of a POST.
 * @throws {AppError} 406, 413, 415: HTTP's own faults
 * @throws {RpcError} what is no message
 * @throws {ClientGone}
 */
export async function readMessage(request: IncomingMessage): Promise<Message> {
  const { headers } = request;
  if (headers.accept && excludes(headers.accept, JSON_RANGES))
    throw new AppError(
      'not_acceptable',
      'This server answers in JSON. Accept application/json and text/event-stream.',
    );
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw new AppError('unsupported_media_type', 'Send the message as application/json.');
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw new AppError('unsupported_media_type', 'Send the message without Content-Encoding.');
  const bytes = await readBytes(request);
  const parsed = parseStrictJson(bytes);
  if (parsed.ok) return { ...partsOf(parsed.value), bytes: bytes.length };
  const call = readFaultyCall(bytes, parsed.faults);
  if (call) return { ...call, bytes: bytes.length };
  throw new RpcError(ErrorCode.ParseError, parsed.faults[0]?.message ?? 'The message is not valid JSON.', {
    details: parsed.faults,
  });
}

const ARGUMENTS = 'params.arguments.';

/**
 * A tool call that is at fault in texts of its arguments alone: a model can correct those, so the
 * tool answers.
 */
function readFaultyCall(bytes: Buffer, faults: JsonFault[]): Omit<Message, 'bytes'> | undefined {
  if (!faults.every(({ field }) => field.startsWith(ARGUMENTS))) return undefined;
  const own = faults.map((fault) => ({ ...fault, field: fault.field.slice(ARGUMENTS.length) }));
  const argumentFaults = faultsOfTexts(own)?.map((fault) => ({ ...fault }));
  if (!argumentFaults) return undefined;
  const parts = partsOf(JSON.parse(bytes.toString('utf8')));
  return parts.request?.method === 'tools/call' ? { ...parts, argumentFaults } : undefined;
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BYTES) return void chunks.push(chunk);
      request.off('data', take);
      reject(new AppError('payload_too_large', `The message is larger than ${MAX_BYTES} bytes.`));
    };
    request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    whenGone(request, () => reject(new ClientGone()));
  });
}

/**
 * Reads to the end what a refused client still sends: one that finds its connection closed while it sends never sees the answer. Resolves with false
 * when there is too much of it; the connection is then of no further use.
 */
export function discardRest(request: IncomingMessage): Promise<boolean> {
  if (request.complete) return Promise.resolve(true);
  return new Promise((resolve) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_DISCARDED_BYTES) resolve(false);
    });
    request.once('end', () => resolve(true));
    whenGone(request, () => resolve(false));
    request.resume();
  });
}

function whenGone(request: IncomingMessage, act: () => void): void {
  // Its close comes in any case, but an error that nobody listens to would end the process.
  request.on('error', () => undefined);
  request.once('close', act);
  if (request.destroyed) act();
}

function partsOf(value: unknown): Pick<Message, 'request' | 'answer'> {
  // A batch would multiply what is counted and audited as one; the protocol has had none since 2025-06-18.
  if (Array.isArray(value))
    throw new RpcError(ErrorCode.InvalidRequest, 'Send one message at a time, not an array.');
  if (isJSONRPCRequest(value)) return { request: value, answer: undefined };
  if (isJSONRPCNotification(value)) return { request: undefined, answer: undefined };
  if (isJSONRPCResultResponse(value) || isJSONRPCErrorResponse(value))
    return { request: undefined, answer: value };
  throw new RpcError(ErrorCode.InvalidRequest, 'This is not a JSON-RPC 2.0 message.');
}
