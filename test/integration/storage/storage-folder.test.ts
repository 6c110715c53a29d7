import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openStorage } from '../../../shared/storage/open-storage.js';
import { useProcesses } from '../../support/load/processes.js';
import { buildScriptCommand } from '../../support/network/run-script.js';
import {
  catchRejection,
  createFolderStorage,
  generateBytes,
  OBJECT_KEY,
  OBJECT_METADATA,
  putObject,
  type TestStorage,
} from './storage-fixture.js';

/**
 * Script that runs in a folder with space for 2 MB. It writes 8 MB, which fails, and then 64 KiB,
 * which fit.
 */
const FILLER = `
  import { openStorage } from './shared/storage/open-storage.ts';
  import { readdirSync } from 'node:fs';
  import { pipeline } from 'node:stream/promises';
  const storage = openStorage({ kind: 'folder', path: process.env.FOLDER + '/exports' });
  const about = { contentType: 'text/plain', fileName: 'a.txt' };
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const codes = [];
  const upload = await storage.create('a/b/1', about);
  await pipeline(function* () { for (let at = 0; at < 128; at++) yield chunk; }, upload.stream).catch((error) => codes.push(error.code));
  await upload.commit().catch((error) => codes.push(error.code, error.cause.code));
  const left = readdirSync(process.env.FOLDER + '/exports', { recursive: true });
  const small = await storage.create('a/b/2', about);
  small.stream.end(chunk);
  const { bytes } = await small.commit();
  console.log('result ' + JSON.stringify({ codes, left, bytes }));
`;

describe('folder storage', () => {
  const processes = useProcesses();
  let place: TestStorage;
  let root: string;

  beforeEach(async () => {
    place = await createFolderStorage();
    root = place.location.kind === 'folder' ? place.location.path : '';
  });
  afterEach(() => place.remove());

  it('folder storage gives only its owner access to its directories and files', async () => {
    await putObject(place.storage, OBJECT_KEY, generateBytes(3));
    const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
    const [tenant = '', own = ''] = OBJECT_KEY.split('/');
    for (const path of [root, join(root, tenant), join(root, tenant, own)])
      expect(await modeOf(path), path).to.equal(0o700);
    expect(await modeOf(join(root, OBJECT_KEY))).to.equal(0o600);
  });

  it('root gives new files and directories to the owner of the storage folder', async function () {
    if (process.geteuid?.() !== 0) return this.skip();
    await chown(join(root, '..'), 12_345, 12_346);
    await putObject(place.storage, OBJECT_KEY, generateBytes(3));
    for (const path of [root, join(root, OBJECT_KEY, '..'), join(root, OBJECT_KEY)]) {
      const { uid, gid } = await stat(path);
      expect([uid, gid], path).to.deep.equal([12_345, 12_346]);
    }
  });

  it('a full folder fails an upload with storage_full, deletes its part and accepts a smaller object', async function () {
    const folder = await mkdtemp(join(tmpdir(), 'tow-full-'));
    const [program = '', ...args] = buildScriptCommand('-e', FILLER);
    const inside = 'mount -t tmpfs -o size=2m tmpfs "$FOLDER" && echo mounted && exec "$@"';
    const node = program === 'node' ? process.execPath : program;
    const { code, output } = await processes.run({
      command: ['unshare', '-rm', 'sh', '-c', inside, 'sh', node, ...args],
      env: { FOLDER: folder },
    });
    await rm(folder, { recursive: true });
    if (!output.includes('mounted')) {
      // CI must run this test. A developer's machine may be unable to mount a tmpfs.
      if (process.env.CI) throw new Error(`cannot mount a tmpfs in a namespace: ${output}`);
      return this.skip();
    }
    expect(code, output).to.equal(0);
    const result = JSON.parse(/result (.*)/.exec(output)?.[1] ?? '{}');
    expect(result).to.deep.equal({
      codes: ['storage_full', 'storage_full', 'ENOSPC'],
      left: [],
      bytes: 64 * 1024,
    });
  });

  it('folder storage rejects with storage_refused when its path is a file or not writable', async () => {
    const path = join(root, '..', 'file');
    await writeFile(path, '');
    const wrong = openStorage({ kind: 'folder', path: join(path, 'exports') });
    for (const work of [
      () => wrong.create(OBJECT_KEY, OBJECT_METADATA),
      () => wrong.open(OBJECT_KEY),
      () => wrong.delete(OBJECT_KEY),
    ])
      expect((await catchRejection(work())).code).to.equal('storage_refused');
    if (process.geteuid?.() === 0) return;
    await chmod(join(root, '..'), 0o500);
    expect((await catchRejection(place.storage.create(OBJECT_KEY, OBJECT_METADATA))).code).to.equal(
      'storage_refused',
    );
    await chmod(join(root, '..'), 0o700);
  });

  it('folder storage creates no download links', async () => {
    expect(await place.storage.createLink(OBJECT_KEY, { ...OBJECT_METADATA, seconds: 60 })).to.equal(
      undefined,
    );
  });

  it('folder storage never loads the S3 SDK, and S3 storage loads it on first use', async () => {
    const script = `
      import { createRequire } from 'node:module';
      import { openStorage } from './shared/storage/open-storage.ts';
      const loaded = () => Object.keys(createRequire(process.cwd() + '/x.js').cache).filter((one) => one.includes('@aws-sdk')).length > 0;
      const states = [];
      for (const location of JSON.parse(process.env.LOCATIONS)) {
        const storage = openStorage(location);
        states.push(loaded());
        await storage.open('a/b').catch(() => undefined);
        states.push(loaded());
      }
      console.log('loaded ' + JSON.stringify(states));
    `;
    const bucket = { kind: 's3', bucket: 'exports', prefix: '', endpoint: 'http://127.0.0.1:1' };
    const { output } = await processes.run({
      command: buildScriptCommand('-e', script),
      env: {
        LOCATIONS: JSON.stringify([place.location, bucket]),
        AWS_ACCESS_KEY_ID: 'a',
        AWS_SECRET_ACCESS_KEY: 'b',
      },
    });
    expect(output).to.include('loaded [false,false,false,true]');
  });
});
