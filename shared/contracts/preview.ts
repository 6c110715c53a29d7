/** The answer of a dry run (decisions 5). @param unknown members of the body that nobody knows */
export function preview(body: string, unknown: string[]): string {
  const warnings = unknown.map((field) => `${field} is not known and was ignored`);
  return `{"ok":true,"dry_run":true,"data":${body},"warnings":${JSON.stringify(warnings)}}`;
}
