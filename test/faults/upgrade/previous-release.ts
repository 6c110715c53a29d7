/** Builds the previous release from git, to run its processes beside those of this checkout. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../../support/load/processes.js';

/** Stands for the previous release as long as git has no tag of a release. */
const UNTAGGED_RELEASE = '6bce2a68de2ba036b096c46d7fbaf324cd252006';
const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024;

/**
 * Returns the newest tag of a release before this commit, or else the commit that stands for one.
 * Returns undefined if this is no checkout of git that has it.
 */
export function findPreviousRelease(): string | undefined {
  const tag = git(['describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD~1']);
  const release = tag?.toString().trim() || UNTAGGED_RELEASE;
  return git(['cat-file', '-e', `${release}^{commit}`]) && release;
}

function git(args: string[]): Buffer | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: PROJECT, maxBuffer: MAX_ARCHIVE_BYTES });
  return status === 0 ? stdout : undefined;
}

/**
 * Unpacks a release into a temporary folder and builds its processes there, with the packages of
 * this checkout. The folder is deleted when the process of the tests ends.
 * @param release a tag or a commit
 * @returns the folder
 */
export function buildRelease(release: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tow-release-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const archive = git(['archive', release]);
  if (!archive) throw new Error(`git has no ${release}`);
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, ['--import', 'tsx', 'bin/build/bundle.ts'], { cwd: folder });
  return folder;
}
