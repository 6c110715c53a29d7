/** What a process of this version needs in the database. A release creates it. */
export interface NeededSchema {
  /** The last migration. */
  migrationHead: string;
  /** Functions with the types of their parameters, for example `public.find(uuid,uuid)`. */
  functions: readonly string[];
}
