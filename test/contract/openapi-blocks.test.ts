import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildOpenApiDocument } from '../../api/openapi/openapi.js';
import { collectRouteFacts } from '../../api/openapi/routes.js';
import { PROJECT } from '../support/load/processes.js';
import { findRequiredCredential, listDocumentedOperations } from '../support/text/openapi-walk.js';

/** Builds the OpenAPI block of GET /drivers, with `members` added. */
const buildBlock = (...members: string[]) => `/**
 * @openapi
 * /drivers:
 *   get:
 *     operationId: listDrivers
 *     summary: List drivers
${members.map((member) => ` *     ${member}\n`).join('')} */
`;

describe('@openapi blocks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tow-openapi-blocks-'));
  after(() => rmSync(folder, { recursive: true }));

  const build = (...members: string[]) => {
    writeFileSync(join(folder, 'drivers.ts'), buildBlock(...members));
    return buildOpenApiDocument([join(folder, '*.ts')]) as {
      paths: Record<string, Record<string, { description: string; responses: object }>>;
    };
  };

  it('a block of a name and a summary gets its responses, errors and rights from the route', () => {
    const { description, responses } = build().paths['/drivers']?.get ?? {};
    expect(description).to.equal('Needs the permission read, or an agent key with the scope read_dispatch.');
    expect(responses).to.have.all.keys('200', '400', '401', '403', '406', '429', '500', '503');
    expect(build('x-errors: [404]').paths['/drivers']?.get?.responses).to.have.any.keys('404');
  });

  it('the build refuses an x-errors status that follows from the route', () => {
    expect(() => build('x-errors: [403]')).to.throw('get /drivers: leave 403 out of x-errors');
  });

  it('the build refuses an x- member that it does not know', () => {
    expect(() => build('x-body: DriverCreate')).to.throw('get /drivers: x-body is not known');
  });

  it('no block repeats a right: the document states it', () => {
    for (const file of readdirSync(join(PROJECT, 'api/routes'))) {
      // Join the lines of each block, because a sentence that the pattern matches may be broken
      // across lines.
      const text = readFileSync(join(PROJECT, 'api/routes', file), 'utf8').replace(/\s+\*\s+/g, ' ');
      expect(text, file).to.not.match(/needs? the (permission|scope) [a-z_]+\.|Not for agent keys/i);
    }
  });
});

describe('openapi.json: rights', () => {
  const facts = collectRouteFacts();
  const operations = listDocumentedOperations().filter((one) => findRequiredCredential(one) !== 'nothing');

  it('every description states the permission and the agent scope that the route requires', () => {
    for (const { name, method, path, operation } of operations) {
      const { access } = facts.get(`${method.toLowerCase()} ${path}`) ?? {};
      const { permission, agentScope, isPersonOnly } = access ?? {};
      const expected = !access
        ? ['Every key may call this']
        : isPersonOnly
          ? ['Only a signed-in person']
          : [`permission ${permission}`, agentScope ? `scope ${agentScope}` : 'Not for agent keys'];
      for (const words of expected) expect(operation.description, name).to.include(words);
    }
  });

  it('an operation accepts the session alone exactly if its route is for people alone', () => {
    for (const one of operations) {
      const { access } = facts.get(`${one.method.toLowerCase()} ${one.path}`) ?? {};
      expect(findRequiredCredential(one), one.name).to.equal(access?.isPersonOnly ? 'session' : 'key');
    }
  });

  it('only the routes by which people sign in, join or reset a password skip authentication', () => {
    const open = [...facts].filter(([, { isPublic }]) => isPublic).map(([route]) => route);
    expect(open.filter((route) => !route.startsWith('head '))).to.have.members([
      'post /session',
      'post /session/factor',
      'get /invitations/{token}/accept',
      'post /invitations/{token}/accept',
      'post /password-reset',
      'post /password-reset/{token}',
      'get /signup',
      'post /signup',
      'post /signup/resend',
      'get /signup/verify/{token}',
      'post /signup/verify/{token}',
    ]);
  });
});
