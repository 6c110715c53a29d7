import type { IncomingMessage } from 'node:http';
import {
  ErrorCode,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';

import { findTextProblems, parseStrictJson } from '../../shared/contracts/json/strict-json.js';
import type { JsonProblem } from '../../shared/contracts/json/strict-json-inspector.js';
import { excludesMediaType } from '../../shared/http/accept-header.js';
import { MAX_BODY_BYTES } from '../../shared/http/request.js';
import { AppError, type ErrorDetail } from '../../shared/platform/errors.js';
import { RpcError } from '../context/errors.js';

/** Maximum number of bytes that the server reads and discards of a refused body. */
const MAX_DISCARDED_BYTES = 16 * MAX_BODY_BYTES;

const JSON_RANGES = ['application/json', 'application/*', '*/*'];

/** Thrown if the client disconnected before its body was complete. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';
}

export interface McpMessage {
  /**
   * Undefined for a notification and for a client's response, because the server responds to
   * neither.
   */
  request: JSONRPCRequest | undefined;
  /**
   * Errors for tool arguments with characters that PostgreSQL cannot store. The tool's result lists
   * these errors.
   */
  argumentErrors?: ErrorDetail[] | undefined;
  bytes: number;
}

/**
 * Reads the one JSON-RPC message of a POST.
 * @throws {AppError} 406, 413, 415
 * @throws {RpcError} for a body that is not a JSON-RPC message
 * @throws {ClientDisconnectedError} if the client disconnects before the body is complete
 */
export async function readMcpMessage(request: IncomingMessage): Promise<McpMessage> {
  const { headers } = request;
  if (headers.accept && excludesMediaType(headers.accept, JSON_RANGES))
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
  if (parsed.ok) return { ...classifyMessage(parsed.value), bytes: bytes.length };
  const call = parseCallWithBadTexts(bytes, parsed.problems);
  if (call) return { ...call, bytes: bytes.length };
  throw new RpcError(ErrorCode.ParseError, parsed.problems[0]?.message ?? 'The message is not valid JSON.', {
    details: parsed.problems,
  });
}

const ARGUMENTS_PREFIX = 'params.arguments.';

/**
 * Parses a tool call whose arguments have characters that PostgreSQL cannot store. Returns
 * undefined if the call has any other problem. The tool's result reports these arguments, because a
 * model can correct them.
 */
function parseCallWithBadTexts(bytes: Buffer, faults: JsonProblem[]): Omit<McpMessage, 'bytes'> | undefined {
  if (!faults.every(({ field }) => field.startsWith(ARGUMENTS_PREFIX))) return undefined;
  const inArguments = faults.map((fault) => ({
    ...fault,
    field: fault.field.slice(ARGUMENTS_PREFIX.length),
  }));
  const errors = findTextProblems(inArguments)?.map((fault) => ({ ...fault }));
  if (!errors) return undefined;
  const message = classifyMessage(JSON.parse(bytes.toString('utf8')));
  return message.request?.method === 'tools/call' ? { ...message, argumentErrors: errors } : undefined;
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) return void chunks.push(chunk);
      request.off('data', onData);
      reject(new AppError('payload_too_large', `The message is larger than ${MAX_BODY_BYTES} bytes.`));
    };
    request.on('data', onData);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    onDisconnect(request, () => reject(new ClientDisconnectedError()));
  });
}

/**
 * Reads and discards the rest of a refused body. If the server closed the connection while the
 * client still sends, the client might never read the response. Resolves with false if the rest is
 * too large or the client disconnects. The server must then close the connection.
 */
export function discardRemainingBody(request: IncomingMessage): Promise<boolean> {
  if (request.complete) return Promise.resolve(true);
  return new Promise((resolve) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_DISCARDED_BYTES) resolve(false);
    });
    request.once('end', () => resolve(true));
    onDisconnect(request, () => resolve(false));
    request.resume();
  });
}

function onDisconnect(request: IncomingMessage, act: () => void): void {
  // Ignore the error, because `close` always follows. Without this listener, an `error` event would
  // end the process.
  request.on('error', () => undefined);
  request.once('close', act);
  if (request.destroyed) act();
}

function classifyMessage(value: unknown): Pick<McpMessage, 'request'> {
  // Refuse a batch: all its messages would count as one request and get one audit entry. MCP
  // removed batches in 2025-06-18.
  if (Array.isArray(value))
    throw new RpcError(ErrorCode.InvalidRequest, 'Send one message at a time, not an array.');
  if (isJSONRPCRequest(value)) return { request: value };
  if (isJSONRPCNotification(value) || isJSONRPCResultResponse(value) || isJSONRPCErrorResponse(value))
    return { request: undefined };
  throw new RpcError(ErrorCode.InvalidRequest, 'This is not a JSON-RPC 2.0 message.');
}
