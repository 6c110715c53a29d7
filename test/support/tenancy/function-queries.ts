import type pg from 'pg';

interface SqlFunction {
  name: string;
  body: string;
  /** The table whose trigger calls the function. */
  table: string | null;
  /** The name that the trigger gives to the added rows. */
  added: string | null;
  /** The arguments, each as name and type. */
  args: [string, string][];
}

/**
 * Lists the queries in the bodies of the database's functions, which triggers and queries of the
 * product call. In each query, the row of a trigger and the arguments are parameters, so that
 * PostgreSQL can plan the query by itself.
 * @returns maps the text of each query to the name of its function
 */
export async function listFunctionQueries(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<SqlFunction>(
    `select p.proname as name, p.prosrc as body, t.tgrelid::regclass::text as table, t.tgnewtable as added,
       array(select json_build_array(a.name, a.type::regtype::text)
             from unnest(p.proargnames, p.proargtypes::oid[]) as a(name, type) where a.name is not null) as args
     from pg_proc p left join lateral (select * from pg_trigger where tgfoid = p.oid
       order by tgnewtable nulls last limit 1) t on true
     where p.pronamespace = 'public'::regnamespace`,
  );
  return new Map(rows.flatMap((one) => listQueries(one).map((text) => [text, one.name] as const)));
}

function listQueries({ body, table, added, args }: SqlFunction): string[] {
  const row = table && `($1::${table})`;
  const parts = body.replace(/^\s*begin\b|\bend;?\s*$/g, '').split(';');
  return parts.flatMap((part) => {
    const query = part
      .trim()
      .replace(/^return query /, '')
      .replace(/^(?:return|perform|new\.\w+ :=) /, 'select ');
    if (!/\b(?:(?<!distinct )from|join|into|update)\s+\w/.test(query)) return [];
    const withRow = query
      .replace(/\b(?:new|old)\./g, `${row}.`)
      .replace(new RegExp(`\\bfrom ${added} `), `from (select ${row}.*) `);
    return args.reduce(
      (text, [name, type], index) => text.replace(new RegExp(`\\b${name}\\b`, 'g'), `$${index + 1}::${type}`),
      withRow,
    );
  });
}
