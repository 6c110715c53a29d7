import { expect } from 'chai';
import { openApiDocument } from '../support/openapi-validator.js';
import { listDocumentedSchemas, type OpenApiNode } from '../support/text/openapi-walk.js';

describe('openapi.json suits client generators', () => {
  const { components } = openApiDocument as unknown as {
    components: { schemas: Record<string, OpenApiNode> };
  };
  const names = Object.keys(components.schemas);

  it('request and response bodies declare no default: generators would require such a member', () => {
    const withDefault = listDocumentedSchemas().filter(
      ({ where, schema }) => 'default' in schema && !/^(paths|components parameters) /.test(where),
    );
    expect(withDefault.map(({ where }) => where)).to.deep.equal([]);
  });

  it('statuses and error codes are named enums whose description explains each value', () => {
    for (const name of ['InvoiceStatus', 'WorkOrderStatus', 'ClaimStatus', 'ExportStatus', 'ErrorCode']) {
      const { enum: words, description } = components.schemas[name] as {
        enum: string[];
        description: string;
      };
      for (const word of words) expect(description, name).to.match(new RegExp(`^- \`${word}\`: \\S`, 'm'));
    }
  });

  it('every enum named status or state explains each value', () => {
    const unexplained = listDocumentedSchemas().filter(({ where, schema }) => {
      const words = ((schema.enum ?? []) as (string | null)[]).filter((word) => word !== null);
      const isState = /\.(status|state)$/.test(where) || /(Status|State)$/.test(where);
      return (
        isState &&
        words.length > 1 &&
        !words.every((word) => String(schema.description).includes(`\`${word}\`: `))
      );
    });
    expect(unexplained.map(({ where }) => where)).to.deep.equal([]);
  });

  it('Settings and SettingsPatch describe every setting of the account', () => {
    for (const name of ['Settings', 'SettingsPatch']) {
      const { updated_at: _at, ...members } = (components.schemas[name]?.properties ?? {}) as Record<
        string,
        OpenApiNode
      >;
      for (const [member, schema] of Object.entries(members))
        expect(schema.description, `${name}.${member}`).to.be.a('string').with.length.above(20);
    }
  });

  it('no two generated types get the same name', () => {
    // Client generators name an inline enum after the component and the member: `Invoice` with
    // `status` becomes `InvoiceStatus`.
    const inlineEnumNames = Object.entries(components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties as Record<string, OpenApiNode>)
        .filter(([, member]) => Array.isArray(member.enum))
        .map(([member]) => pascalCase(`${name}_${member}`)),
    );
    const all = [...names.map(pascalCase), ...inlineEnumNames];
    expect(all.filter((name, index) => all.indexOf(name) !== index)).to.deep.equal([]);
  });

  function pascalCase(name: string): string {
    return name
      .split('_')
      .map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}`)
      .join('');
  }
});
