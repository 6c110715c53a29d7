import { expect } from 'chai';
import { expectError } from '../expect-error.js';
import { listPublishedMembers } from '../openapi-validator.js';
import type { TestTenant } from '../stack.js';
import { UNKNOWN_ID } from './samples.js';

type Body = Record<string, unknown>;

interface ResourceTests {
  /** The path of the list, such as `/drivers`. */
  path: string;
  /** The name of the record's schema in openapi.json. */
  schema: string;
  /** Returns the smallest body that POST accepts. */
  smallest: () => Body | Promise<Body>;
  /**
   * The expected members of the record that POST creates from the smallest body. All other members
   * are null, except those in `filled`.
   */
  defaults: Body;
  /** Members that the service fills in when POST gets the smallest body, besides id and times. */
  filled?: string[];
  /**
   * Returns a value for each member that POST and PATCH accept. Absent if the resource has no
   * PATCH.
   */
  values?: () => Body | Promise<Body>;
  /** Members that PATCH clears with null. */
  nullable?: string[];
}

/** Registers the tests that hold for every resource with POST, GET and, in most cases, PATCH. */
export function describeResource(
  tenant: TestTenant,
  { path, schema, smallest, defaults, filled = [], values, nullable = [] }: ResourceTests,
): void {
  const create = async (body: Body) => {
    const response = await tenant.client.post(path, body);
    expect(response.status, response.text).to.equal(201);
    return response;
  };
  const listIds = async (): Promise<string[]> => {
    const { body } = await tenant.client.get(`${path}?limit=200`);
    return body.data.items.map(({ id }: { id: string }) => id);
  };

  it(`POST ${path} returns exactly the published members with their defaults, and reads return the same bytes`, async () => {
    const response = await create(await smallest());
    const { body } = response;
    const published = listPublishedMembers(schema);
    expect(Object.keys(body)).to.deep.equal(published);
    expect(body).to.deep.include(defaults);
    const set = ['id', 'created_at', 'updated_at', ...Object.keys(defaults), ...filled];
    const unset = published.filter((member) => !set.includes(member));
    expect(unset.filter((member) => body[member] !== null)).to.deep.equal([]);
    expect(response.headers.location).to.equal(`/v1${path}/${body.id}`);
    expect((await tenant.client.get(`${path}/${body.id}`)).text).to.equal(response.text);
    expect((await tenant.client.get(`${path}?limit=1`)).body.data.items).to.deep.equal([body]);
  });

  it(`a dry run of POST ${path} returns the record and stores none`, async () => {
    const before = await listIds();
    const headers = { 'x-service-dry-run': 'true' };
    const preview = await tenant.client.post(path, await smallest(), { headers });
    expect(preview.status, preview.text).to.equal(200);
    expect(preview.body.data).to.deep.include(defaults);
    expect(await listIds()).to.deep.equal(before);
  });

  it(`GET and PATCH ${path}/{id} return 404 for a record of the sandbox, an unknown id and a malformed id`, async () => {
    const { body } = await tenant.sandbox.post(path, await smallest());
    expect((await tenant.sandbox.get(`${path}/${body.id}`)).status).to.equal(200);
    for (const id of [body.id, UNKNOWN_ID, 'x']) {
      expectError(await tenant.client.get(`${path}/${id}`), 404, 'not_found');
      if (values) expectError(await tenant.client.patch(`${path}/${id}`, {}), 404, 'not_found');
    }
    expect(await listIds()).to.not.include(body.id);
  });

  if (!values) return;

  it(`POST and PATCH ${path} return every value that was sent, and an equal PATCH changes nothing`, async () => {
    const first = await values();
    const { body: created } = await create({ ...(await smallest()), ...first });
    expect(created).to.deep.include(first);
    const sent = await values();
    const { body: record } = await create(await smallest());
    const patched = await tenant.client.patch(`${path}/${record.id}`, sent);
    expect(patched.status, patched.text).to.equal(200);
    expect(patched.body).to.deep.equal({ ...record, ...sent, updated_at: patched.body.updated_at });
    expect(Date.parse(patched.body.updated_at)).to.be.greaterThan(Date.parse(record.updated_at));
    expect((await tenant.client.get(`${path}/${record.id}`)).text).to.equal(patched.text);
    for (const equal of [sent, {}, undefined])
      expect((await tenant.client.patch(`${path}/${record.id}`, equal)).body).to.deep.equal(patched.body);
    const nulls = Object.fromEntries(nullable.map((member) => [member, null]));
    expect((await tenant.client.patch(`${path}/${record.id}`, nulls)).body).to.include(nulls);
  });
}
