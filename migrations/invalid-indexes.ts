import type pg from 'pg';

/** The names of the indexes that an interrupted `reindex index concurrently` leaves behind. */
const LEFTOVER = '_cc(new|old)[0-9]*$';

/**
 * Rebuilds the indexes that PostgreSQL does not use, because the process that built them
 * concurrently died or gave up. `create index concurrently if not exists` takes such an index for a
 * complete one. Building waits for every older snapshot, but blocks no reads and writes.
 */
export async function rebuildInvalidIndexes(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; is_leftover: boolean }>(
    `select i.indexrelid::regclass::text as name, c.relname ~ $1 as is_leftover
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where not i.indisvalid and c.relkind = 'i' and c.relnamespace = 'public'::regnamespace
       and pg_has_role(c.relowner, 'member')
     order by is_leftover desc, 1`,
    [LEFTOVER],
  );
  for (const { name, is_leftover: isLeftover } of rows)
    await client.query(
      isLeftover ? `drop index concurrently if exists ${name}` : `reindex index concurrently ${name}`,
    );
}
