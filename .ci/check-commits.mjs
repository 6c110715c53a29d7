// Checks that commit messages follow https://www.conventionalcommits.org/en/v1.0.0/. The check
// covers the commits after the commit that introduced the rule. It passes without git, and in a
// shallow clone without that commit.
import { execFileSync } from 'node:child_process';

const TYPES = 'build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test';
const SUBJECT = new RegExp(`^(${TYPES})(\\([a-z0-9-]+(,[a-z0-9-]+)*\\))?!?: [^\\s].*[^.\\s]$`);
const MAX_SUBJECT_CHARS = 120;
const MERGE = /^Merge (branch|pull request|commit|remote-tracking branch) /;
const RULE_INTRODUCED_AFTER = '7ab86fd';

/** Returns what is wrong with a commit's subject, or undefined. */
export function findSubjectProblem(subject) {
  if (MERGE.test(subject)) return undefined;
  if (subject.length > MAX_SUBJECT_CHARS) return `longer than ${MAX_SUBJECT_CHARS} characters`;
  if (!SUBJECT.test(subject)) return 'not "type(scope): what changed", without a full stop';
  return undefined;
}

function readSubjects() {
  try {
    const log = execFileSync('git', ['log', '--format=%h %s', `${RULE_INTRODUCED_AFTER}..HEAD`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return log.split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

if (process.argv[1] === import.meta.filename) {
  const problems = readSubjects().flatMap((line) => {
    const [hash, ...words] = line.split(' ');
    const problem = findSubjectProblem(words.join(' '));
    return problem ? [`${hash} ${words.join(' ')}\n  ${problem}`] : [];
  });
  if (problems.length > 0) {
    console.error(`Commits that do not follow Conventional Commits:\n${problems.join('\n')}`);
    console.error(`Types: ${TYPES.replaceAll('|', ', ')}. Reword them (git commit --amend, git rebase -i).`);
    process.exitCode = 1;
  }
}
