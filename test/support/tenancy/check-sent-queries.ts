import { compareWithExceptions } from './exceptions.js';
import { describeRead, findUnnamedReads } from './explain-queries.js';
import { listSentQueries } from './sent-queries.js';

/**
 * Checks every query that the product has sent in this process.
 * @throws {Error} if a query reads a table without naming the tenant, and docs/scaling.md does not
 *   list it
 */
export async function checkSentQueries(createSuperuserDatabase: () => Promise<string>): Promise<void> {
  const queries = listSentQueries();
  if (queries.size === 0) return;
  const found = await findUnnamedReads(await createSuperuserDatabase(), queries);
  const { unlisted } = compareWithExceptions('query', found.map(describeRead));
  const texts = found.filter((read) => unlisted.includes(describeRead(read)));
  if (texts.length > 0)
    throw new Error(
      `queries do not name the tenant (docs/scaling.md):\n${texts.map((read) => `${describeRead(read)}\n${read.text}`).join('\n')}`,
    );
  process.stdout.write(`  checked which tenants ${queries.size} queries name\n`);
}
