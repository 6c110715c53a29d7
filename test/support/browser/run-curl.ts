import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import type { TestClient } from '../client.js';

/** Presses a button that copies, and returns the text in the clipboard. */
export async function copyBy(page: Page, button: Locator): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await button.click();
  await page.getByRole('button', { name: 'Copied' }).first().waitFor();
  return (await page.evaluate('navigator.clipboard.readText()')) as string;
}

/** Runs a curl command in a shell. `$TOW_API_KEY` in it stands for the key of the client. */
export async function runCurl(
  command: string,
  { key }: TestClient,
): Promise<{ status: number; body: unknown }> {
  const env = { ...process.env, TOW_API_KEY: key };
  const shown = `${command} --silent --write-out '\\n%{http_code}'`;
  const { stdout } = await promisify(execFile)('sh', ['-c', shown], { env });
  const at = stdout.lastIndexOf('\n');
  const text = stdout.slice(0, at);
  return { status: Number(stdout.slice(at + 1)), body: text === '' ? undefined : JSON.parse(text) };
}
