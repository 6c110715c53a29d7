import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const GUIDE = join(import.meta.dirname, '../../../docs/guides/redis.md');

/**
 * Returns the users with few rights that docs/guides/redis.md lists, each as one line of an ACL
 * file: the user `tow` of Redis and the user `tow-sentinel` of the sentinels, both with the
 * password `secret`.
 */
export function readUsersOfGuide(): { redis: string; sentinel: string } {
  const guide = readFileSync(GUIDE, 'utf8');
  const find = (name: string) => {
    const [, block] = new RegExp(`\`\`\`\\n(user ${name} [^\`]+)\`\`\``).exec(guide) ?? [];
    if (!block) throw new Error(`docs/guides/redis.md lists no user ${name}`);
    return block.trim().split(/\s+/).join(' ');
  };
  return { redis: find('tow'), sentinel: find('tow-sentinel') };
}
