/** @param unknown lists the paths of body members that the schema does not define */
export function renderDryRunResponse(body: string, unknown: string[]): string {
  const warnings = unknown.map((field) => `${field} is not known and was ignored`);
  return `{"ok":true,"dry_run":true,"data":${body},"warnings":${JSON.stringify(warnings)}}`;
}
