import { expect } from 'chai';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { isDocumented } from '../openapi-validator.js';

export interface PageRules {
  /** The origins that the pages may send requests to. */
  origins: readonly (string | undefined)[];
  /** The errors in the browser's console that are no fault of the page. */
  ignored?: RegExp;
}

/** Chromium logs each response with an error status. The page handles the response. */
const ERROR_STATUS = /^Failed to load resource/;

/**
 * Collects what no page may do: leave its origins, call a route that openapi.json does not have, or
 * report an error.
 */
export class PageWatch {
  #faults: string[] = [];

  watchPage(page: Page, rules: PageRules): void {
    page.on('pageerror', (error) => this.#recordError(error));
    page.on('console', (message) => this.#checkConsole(message, rules));
    page.on('request', (request) => this.#checkRequest(request, rules));
  }

  /** Watches all pages of a context, and also those that links open in new tabs. */
  watchContext(context: BrowserContext, rules: PageRules): void {
    context.on('weberror', (event) => this.#recordError(event.error()));
    context.on('console', (message) => this.#checkConsole(message, rules));
    context.on('request', (request) => this.#checkRequest(request, rules));
  }

  /** Asserts that the pages did nothing wrong since the last call. */
  expectNoFaults(): void {
    expect(this.#faults.splice(0), 'what the pages must not do').to.deep.equal([]);
  }

  #recordError(error: Error): void {
    this.#faults.push(`error in the page: ${error.stack}`);
  }

  #checkConsole(message: { type(): string; text(): string }, { ignored = ERROR_STATUS }: PageRules): void {
    if (message.type() === 'error' && !ignored.test(message.text()))
      this.#faults.push(`console: ${message.text()}`);
  }

  #checkRequest(request: Pick<Request, 'url' | 'method'>, { origins }: PageRules): void {
    const { protocol, origin, pathname } = new URL(request.url());
    // Chromium's PDF viewer is an extension of the browser, and reads only its own files.
    if (protocol === 'blob:' || protocol === 'chrome-extension:') return;
    if (!origins.includes(origin)) this.#faults.push(`left the origin: ${request.url()}`);
    if (!pathname.startsWith('/v1/')) return;
    if (!isDocumented(request.method(), pathname.slice('/v1'.length)))
      this.#faults.push(`not in openapi.json: ${request.method()} ${pathname}`);
  }
}
