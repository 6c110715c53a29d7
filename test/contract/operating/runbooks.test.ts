import { expect } from 'chai';
import { COMMANDS } from '../../../bin/tow/registry.js';
import { settingsSchema } from '../../../shared/config/settings.js';
import { HEALTH_PATHS } from '../../../shared/server/health.js';
import { openApiDocument } from '../../support/openapi-validator.js';
import { readAlerts } from '../../support/text/promql.js';
import { listFiles, readSource } from '../../support/text/source-text.js';

const RUNBOOKS = 'docs/guides/runbooks.md';
const GUIDES = [RUNBOOKS, 'docs/guides/operators.md', 'docs/guides/restore.md'];

const source = listFiles(/^(api|workers|mcp|shared|bin)\/.*\.ts$/)
  .map((file) => readSource(file))
  .join('\n');

/** Returns all matches of the pattern's first group. */
const findAll = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

/** Finds the names in a guide that stand for nothing in the product. */
function findUnknownNames(text: string): string[] {
  const commands = findAll(text, /npx tow ((?:[a-z-]+ ?){1,2})/g).map((name) => name.trim());
  const isCommand = (name: string) =>
    COMMANDS.some((command) => command.name === name || command.name === name.split(' ')[0]);
  // Roles and the names in the nginx configuration are no metrics.
  const metrics = findAll(text, /\b(tow_(?!app\b)\w+)(?=[`{)=<>[])/g);
  const isMetric = (name: string) => source.includes(`name: '${name.replace(/_(bucket|count|sum)$/, '')}'`);
  const routes = [...text.matchAll(/`(GET|POST|PATCH|PUT|DELETE) (\/[\w/{}-]+)`/g)];
  const isRoute = ([, method = '', path = '']: RegExpMatchArray) =>
    method.toLowerCase() in (openApiDocument.paths[path] ?? {});
  const paths = findAll(text, /https?:\/\/127\.0\.0\.1:\d+(\/[\w/]*)/g);
  const logged = findAll(text, /\bgrep (?:-E )?'([a-zA-Z][^']*)'/g).flatMap((pattern) => pattern.split('|'));
  return [
    ...commands.filter((name) => !isCommand(name)),
    ...metrics.filter((name) => !isMetric(name)),
    ...routes.filter((route) => !isRoute(route)).map(([route]) => route),
    ...paths.filter((path) => !HEALTH_PATHS.has(path)),
    ...logged.filter((entry) => !source.includes(entry)),
  ];
}

describe('the runbooks', () => {
  const text = readSource(RUNBOOKS);
  const [, ...sections] = text.split(/^## /m);
  const toAnchor = (section: string) => section.split('\n')[0]!.toLowerCase().replaceAll(' ', '-');

  it('every alert links a runbook that names it, and every runbook belongs to an alert', () => {
    const linked = readAlerts().map(({ name, runbook }) => {
      const section = sections.find((one) => runbook.endsWith(`#${toAnchor(one)}`));
      expect(section, `${name}: ${runbook}`).to.include(`\`${name}\``);
      return toAnchor(section ?? '');
    });
    expect([...new Set(linked)]).to.have.members(sections.map(toAnchor));
  });

  it('every runbook says what the alert means, what to look at, what to do and when it is over', () => {
    expect(sections.length).to.be.at.least(10);
    for (const section of sections)
      for (const part of ['**Means**', '**Look at**', '**Do**', '**Over** when'])
        expect(section, toAnchor(section)).to.include(part);
  });

  for (const guide of GUIDES)
    it(`${guide} names only commands, metrics, routes, paths and log entries that exist`, () => {
      expect(findUnknownNames(readSource(guide))).to.deep.equal([]);
    });

  it('every setting that the runbooks name exists', () => {
    const { keys } = settingsSchema.describe() as { keys: Record<string, unknown> };
    const named = findAll(text, /`"?\$?([A-Z]+_[A-Z_]+)/g);
    expect(named.length).to.be.above(5);
    expect(named.filter((name) => !(name in keys))).to.deep.equal([]);
  });

  it('names that do not exist are found', () => {
    expect(findUnknownNames('npx tow heal\n`tow_heals_total`\n`POST /heals`')).to.deep.equal([
      'heal',
      'tow_heals_total',
      'POST /heals'.replace(/^/, '`').concat('`'),
    ]);
    expect(findUnknownNames("curl http://127.0.0.1:1/heal\ngrep 'nobody logs this'")).to.deep.equal([
      '/heal',
      'nobody logs this',
    ]);
  });
});
