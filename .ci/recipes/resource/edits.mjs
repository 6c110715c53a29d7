/** A yard is a place where the company stores vehicles. */
export const edits = [
  {
    file: 'shared/registry/modules.ts',
    add: "export { yardModule } from '../resources/yards/module.js';\n",
  },
  {
    file: 'workers/writes/handler-maps.ts',
    add: "export { yardHandlers } from '../../shared/resources/yards/handlers.js';\n",
  },
  {
    file: 'api/routes/index.ts',
    add: "export { yardRoutes } from './yards.js';\n",
  },
  {
    file: 'migrations/index.ts',
    before: '\ninterface Migration {',
    add: "import * as addYards from './20990102000000_add_yards.js';\n",
  },
  {
    file: 'migrations/index.ts',
    before: '];\n',
    add: "  { name: '20990102000000_add_yards', ...addYards },\n",
  },
];
