import { chown, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { writePrivateFile } from '../../../shared/platform/files/private-file.js';

const NOBODY = 65534;

describe('writePrivateFile', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'private-file-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('a private file is readable only by its owner and replaced atomically; its folder is created', async () => {
    const path = join(folder, 'new', 'file');
    await writePrivateFile(path, 'first');
    await writePrivateFile(path, 'second');
    expect(await readFile(path, 'utf8')).to.equal('second');
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect(await readdir(join(folder, 'new'))).to.deep.equal(['file']);
  });

  it('a private file keeps its owner when root writes it', async function () {
    if (process.geteuid?.() !== 0) this.skip();
    const path = join(folder, 'file');
    await writePrivateFile(path, 'first');
    await chown(path, NOBODY, NOBODY);
    await writePrivateFile(path, 'second');
    expect(await stat(path)).to.include({ uid: NOBODY, gid: NOBODY });
  });
});
