import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import pino from 'pino';
import { isConnectionError } from '../../../shared/platform/errors.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';

function buildMessage(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** What PostgreSQL sends if an administrator ends the session as soon as it is open. */
const OPENED_AND_ENDED = Buffer.concat([
  buildMessage('R', Buffer.from([0, 0, 0, 0])),
  buildMessage('Z', Buffer.from('I')),
  buildMessage('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')),
]);

describe('connections to PostgreSQL that end while they open', () => {
  const sockets: Socket[] = [];
  let server: Server;
  let db: Database;

  before(async () => {
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined).once('data', () => socket.end(OPENED_AND_ENDED));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    db = openDatabase({
      databaseUrl: `postgres://tow@127.0.0.1:${port}/tow`,
      poolSize: 1,
      applicationName: 'test',
      logger: pino({ level: 'silent' }),
    });
  });

  after(async () => {
    await db.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('a session that ends in the packet that opens it fails the query as a lost connection, and the process continues', async () => {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const error = await db
        .transaction([], (tx) => tx.query({ text: 'select 1' }))
        .then(
          () => undefined,
          (reason: unknown) => reason,
        );
      expect(isConnectionError(error), String(error)).to.equal(true);
      expect(sockets).to.have.length(attempt);
    }
  });
});
