import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { PROJECT } from '../../support/load/processes.js';

const BUILT = join(PROJECT, 'dist', 'dashboard');
const KIB = 1024;

/**
 * The limits for the first page: bytes of scripts and styles after gzip, and the number of files.
 */
const FIRST_LOAD = { scripts: 175 * KIB, styles: 20 * KIB, files: 8 };
/** The limit for the scripts that each further screen adds, in bytes after gzip. */
const MAX_SCREEN = 25 * KIB;

interface Chunk {
  file: string;
  src?: string;
  isEntry?: boolean;
  imports?: string[];
  dynamicImports?: string[];
  css?: string[];
}

/** The manifest of the build, by source file. `npm run build` writes it. */
const readManifest = () =>
  JSON.parse(readFileSync(join(BUILT, '.vite', 'manifest.json'), 'utf8')) as Record<string, Chunk>;

const zippedSize = (file: string) => gzipSync(readFileSync(join(BUILT, file)), { level: 9 }).length;
const sum = (files: Iterable<string>) => [...files].reduce((total, file) => total + zippedSize(file), 0);

describe('the size of the dashboard', () => {
  /** Returns a chunk's own file, and the files that the chunk imports. */
  function listFiles(manifest: Record<string, Chunk>, name: string, seen = new Set<string>()): Set<string> {
    const chunk = manifest[name];
    if (!chunk || seen.has(chunk.file)) return seen;
    for (const file of [chunk.file, ...(chunk.css ?? [])]) seen.add(file);
    for (const imported of chunk.imports ?? []) listFiles(manifest, imported, seen);
    return seen;
  }
  const isScript = (file: string) => file.endsWith('.js');
  const findScreens = (manifest: Record<string, Chunk>) =>
    Object.keys(manifest).filter((name) => /^screens\/[\w-]+\/index\.tsx?$/.test(name));

  it(`the first page loads at most 175 KiB of scripts, 20 KiB of styles and ${FIRST_LOAD.files} files`, () => {
    const manifest = readManifest();
    const files = listFiles(manifest, 'index.html');
    listFiles(manifest, 'screens/overview/index.ts', files);
    const scripts = [...files].filter(isScript);
    const styles = [...files].filter((file) => !isScript(file));
    const [scriptBytes, styleBytes] = [sum(scripts), sum(styles)];
    process.stdout.write(
      `    first page: ${(scriptBytes / KIB).toFixed(1)} KiB of scripts, ${(styleBytes / KIB).toFixed(1)} KiB of styles, ${files.size} files\n`,
    );
    expect(scriptBytes, 'bytes of scripts').to.be.at.most(FIRST_LOAD.scripts);
    expect(styleBytes, 'bytes of styles').to.be.at.most(FIRST_LOAD.styles);
    // Add one for the file of the page itself.
    expect(files.size + 1, [...files].join(' ')).to.be.at.most(FIRST_LOAD.files);
  });

  it('the chunk of each screen has at most 25 KiB of scripts', () => {
    const manifest = readManifest();
    const screens = findScreens(manifest);
    expect(screens).to.have.length(13);
    const sizes = screens.map((name) => ({ name, bytes: zippedSize(manifest[name]?.file as string) }));
    expect(sizes.filter(({ bytes }) => bytes > MAX_SCREEN)).to.deep.equal([]);
  });
});
