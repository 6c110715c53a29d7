import { readFile } from 'node:fs/promises';
import type { Config } from '../../shared/config/config.js';
import { stripTrailingSlashes } from '../../shared/config/trailing-slashes.js';
import { getErrorCode } from '../../shared/platform/errors.js';
import { isWellFormedKey } from '../../shared/resources/api-keys/credential.js';
import type { DemoKeyField } from '../demo/credentials.js';
import type { DemoFile } from '../demo/demo-file.js';
import { getDemoFilePath } from '../demo/demo-file-path.js';
import type { ApiAccess } from './api-client.js';
import type { CommandArgs } from './command.js';
import { CliError, describeReason, EXIT, usageError } from './exit-codes.js';

/** The field of demo.json whose key a command uses by default. */
type DemoKey = 'api_key' | 'sandbox_key';

/**
 * Finds the API's address and key for a command. Searches three sources in this sequence: the
 * options --api-url and --key, the settings TOW_API_URL and TOW_API_KEY, and the file demo.json
 * that `npm start` wrote. With --sandbox, the key is always the sandbox key in demo.json.
 */
export async function resolveApiAccess(
  { values }: CommandArgs,
  config: Pick<Config, 'apiUrl' | 'apiKey' | 'dataDir'>,
  demoKey: DemoKey,
): Promise<ApiAccess> {
  if (values.sandbox === true && values.key !== undefined)
    throw usageError(
      "--sandbox uses the demo's sandbox key, so it cannot be combined with --key. The key itself decides what it sees.",
    );
  const ownKey = values.sandbox === true ? undefined : (values.key ?? config.apiKey);
  const ownUrl = values['api-url'] ?? config.apiUrl;
  const remedy = 'Give --key and --api-url (or TOW_API_KEY and TOW_API_URL)';
  const demoFields = { url: 'api_url', key: demoKey, remedy } as const;
  const demo = ownKey && ownUrl ? undefined : await loadDemoAccess(config.dataDir, demoFields);
  const key = parseKey(String(ownKey ?? demo?.key));
  return { url: addApiPath(validateHttpUrl('--api-url', String(ownUrl ?? demo?.url))), key };
}

/** Adds `/v1` to an address that has no path. Removes slashes at the end of any other address. */
function addApiPath(url: string): string {
  return new URL(url).pathname === '/' ? new URL('/v1', url).href : stripTrailingSlashes(url);
}

/** @throws {CliError} `configuration` if the key is malformed */
export function parseKey(text: string): string {
  const key = text.trim();
  if (isWellFormedKey(key)) return key;
  throw new CliError(
    'configuration',
    'The key is malformed: a character is missing or wrong.',
    EXIT.configuration,
  );
}

/**
 * Reads demo.json and returns one address and one key of the demo's first company.
 * @param options.url the field with the address
 * @param options.key the field with the key
 * @param options.remedy the advice with which the error message begins
 * @throws {CliError} `configuration` if demo.json is missing or incomplete
 */
export async function loadDemoAccess(
  dataDir: string,
  { url, key, remedy }: { url: 'api_url' | 'mcp_url'; key: DemoKeyField; remedy: string },
): Promise<ApiAccess> {
  const path = getDemoFilePath(dataDir);
  try {
    const demo = JSON.parse(await readFile(path, 'utf8')) as DemoFile;
    const [tenant] = demo.tenants;
    if (tenant?.[key] && demo[url]) return { url: demo[url], key: tenant[key] };
    throw new Error('the address or the key is missing');
  } catch (error) {
    const why =
      getErrorCode(error) === 'ENOENT' ? 'is not there' : `cannot be used (${describeReason(error)})`;
    const message = `${remedy}: ${path}, which \`npm start\` writes for its demo, ${why}.`;
    throw new CliError('configuration', message, EXIT.configuration, { cause: error });
  }
}

/**
 * Returns `text` if it is an http or https URL without a user name or password.
 * @throws {CliError} `usage`, naming `option`, for any other text
 */
export function validateHttpUrl(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw usageError(`${option} must be a URL such as http://localhost:4000/hook.`);
  if (url.username || url.password) throw usageError(`${option} must not contain a user name or password.`);
  return text;
}
