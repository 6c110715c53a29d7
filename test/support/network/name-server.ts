import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/**
 * Returns the addresses for the nth question about a name and a type (A or AAAA), counted from 0.
 * If the result is undefined, the server sends no response.
 */
export type AddressLookup = (nth: number) => string[] | undefined;

export interface NameServer {
  /** The host and the port, as `Resolver.setServers` expects them. */
  address: string;
  setAddresses(name: string, lookup: AddressLookup | string[]): void;
  /** Counts the questions about a name. Questions for IPv4 and for IPv6 count together. */
  countQuestions(name: string): number;
}

const A = 1;
const AAAA = 28;

/**
 * Starts a DNS server on loopback that knows only the addresses that a test sets. The server ends
 * with the process.
 */
export async function startNameServer(): Promise<NameServer> {
  const lookups = new Map<string, AddressLookup>();
  const questionCounts = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    const { name, type, end } = parseQuestion(question);
    const nth = questionCounts.get(`${name} ${type}`) ?? 0;
    questionCounts.set(`${name} ${type}`, nth + 1);
    const addresses = (lookups.get(name) ?? (() => []))(nth);
    if (!addresses) return;
    const wanted = addresses.filter((address) => isIPv6(address) === (type === AAAA));
    socket.send(buildResponse(question.subarray(0, end), type, wanted), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.unref();
  return {
    address: `127.0.0.1:${socket.address().port}`,
    setAddresses: (name, lookup) =>
      void lookups.set(name, typeof lookup === 'function' ? lookup : () => lookup),
    countQuestions: (name) =>
      (questionCounts.get(`${name} ${A}`) ?? 0) + (questionCounts.get(`${name} ${AAAA}`) ?? 0),
  };
}

function parseQuestion(question: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: question.readUInt16BE(at + 1), end: at + 5 };
}

function buildResponse(question: Buffer, type: number, addresses: string[]): Buffer {
  const head = Buffer.from(question);
  // Write the flags of a response without an error, and the number of answers. The response leaves
  // out all other records, even the question's EDNS record.
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const bytes = type === A ? Buffer.from(address.split('.').map(Number)) : v6Bytes(address);
    const record = Buffer.alloc(12);
    // Write a pointer to the question's name, the type, the class IN and the length of the address.
    // The time to live stays 0.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, bytes]);
  });
  return Buffer.concat([head, ...records]);
}

function v6Bytes(address: string): Buffer {
  const [head = [], tail] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const groups = tail ? [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail] : head;
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
