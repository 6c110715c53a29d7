import { chown, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { writePrivateFile } from '../../shared/platform/private-file.js';

const NOBODY = 65534;

describe('a private file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'private-file-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is for its owner alone, and replaced whole; its folder is made', async () => {
    const path = join(folder, 'new', 'file');
    await writePrivateFile(path, 'first');
    await writePrivateFile(path, 'second');
    expect(await readFile(path, 'utf8')).to.equal('second');
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect(await readdir(join(folder, 'new'))).to.deep.equal(['file']);
  });

  it('stays its owner’s when root writes it', async function () {
    if (process.geteuid?.() !== 0) this.skip();
    const path = join(folder, 'file');
    await writePrivateFile(path, 'first');
    await chown(path, NOBODY, NOBODY);
    await writePrivateFile(path, 'second');
    expect(await stat(path)).to.include({ uid: NOBODY, gid: NOBODY });
  });
});
