const fromCore = { path: '^shared/' };

/**
 * Who may call whom (ARCHITECTURE.md). Each rule's comment is what a developer reads when it fires.
 */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'A cycle means two folders that are one: move what both need down a level.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-cycles-between-folders',
      severity: 'error',
      comment:
        'Two folders that import each other cannot be read one after the other: move what both need down a level.',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolved',
      severity: 'error',
      comment: 'This import resolves to nothing.',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'platform-stands-alone',
      severity: 'error',
      comment: 'platform is the floor: it knows the settings, npm packages and nothing of the product.',
      from: { path: '^shared/platform/' },
      to: { path: '^(shared/(?!(platform|config|outbound)/)|api/|workers/|mcp/|migrations/|bin/)' },
    },
    {
      name: 'config-stands-alone',
      severity: 'error',
      comment: 'config reads the environment, before anything of the product is there to be used.',
      from: { path: '^shared/config/' },
      to: { path: '^(shared/(?!(config|outbound)/)|api/|workers/|mcp/|migrations/|bin/)' },
    },
    {
      name: 'outbound-stands-alone',
      severity: 'error',
      comment:
        'The guarded client decides which addresses may be called: nothing of the product may change that.',
      from: { path: '^shared/outbound/' },
      to: { path: '^(shared/(?!outbound/)|api/|workers/|mcp/|migrations/|bin/)' },
    },
    {
      name: 'http-on-platform',
      severity: 'error',
      comment:
        'http serves every process that listens: it knows a request, and nothing of what is requested.',
      from: { path: '^shared/http/' },
      to: { path: '^(shared/(?!(platform|config|outbound|http)/)|api/|workers/|mcp/|migrations/|bin/)' },
    },
    {
      name: 'storage-and-server-on-platform',
      severity: 'error',
      comment: 'storage and server know the platform, and nothing of what the product stores or serves.',
      from: { path: '^shared/(storage|server)/' },
      to: {
        path: '^(shared/(?!(platform|config|outbound|http|storage|server)/)|api/|workers/|mcp/|migrations/|bin/)',
      },
    },
    {
      name: 'contracts-on-platform',
      severity: 'error',
      comment: 'contracts describe; they may stand on platform only.',
      from: { path: '^shared/contracts/' },
      to: {
        path: '^(shared/(queues|events|records|deliveries|sync|billing|documents|resources|registry|operations|storage|server|http|integrations)/|api/|workers/|mcp/|migrations/|bin/)',
      },
    },
    {
      name: 'queues-and-events-below-resources',
      severity: 'error',
      comment: 'queues and events carry any command; they must not know a resource.',
      from: { path: '^shared/(queues|events)/' },
      to: {
        path: '^(shared/(records|deliveries|sync|billing|documents|resources|registry|operations|storage|server|http|integrations)/|api/|workers/|mcp/|migrations/|bin/)',
      },
    },
    {
      name: 'records-below-resources',
      severity: 'error',
      comment: 'records and billing serve every resource, so they must not know one: pass in what differs.',
      from: { path: '^shared/(records|billing)/' },
      to: {
        path: '^(shared/(deliveries|sync|resources|registry|operations|documents|server|http|integrations)/|api/|workers/|mcp/|migrations/|bin/)',
      },
    },
    {
      name: 'deliveries-and-sync-below-resources',
      severity: 'error',
      comment:
        'deliveries and sync write the rows of webhook deliveries and of the work of connections, for resources and workers, so they must know neither: pass in what differs.',
      from: { path: '^shared/(deliveries|sync)/' },
      to: {
        path: '^(shared/(billing|documents|resources|registry|operations|storage|server|http|integrations)/|api/|workers/|mcp/|migrations/|bin/)',
      },
    },
    {
      name: 'registry-above-resources',
      severity: 'error',
      comment:
        'The registry lists the resources, so no resource can use it: import the resource that is meant.',
      from: { path: '^shared/(resources|documents|billing|deliveries|sync|records)/' },
      to: { path: '^shared/(registry|operations)/' },
    },
    {
      name: 'vendors-translate-only',
      severity: 'error',
      comment:
        'A vendor translates: it knows the contract and its own folder, no record and no other vendor. It calls through its open connection.',
      from: { path: '^shared/integrations/([^/]+)/' },
      to: {
        path: '^(shared/(?!(platform|config|integrations)/)|shared/integrations/(?!contract/)|api/|workers/|mcp/|migrations/|bin/)',
        pathNot: '^shared/integrations/$1/',
      },
    },
    {
      name: 'invoices-below-approvals-and-messages',
      severity: 'error',
      comment:
        'Approvals run invoice commands and messages move invoices, so an invoice cannot import them. ' +
        'What a write of an invoice needs of them belongs into pending-approvals or planned-messages.',
      from: { path: '^shared/resources/invoices/' },
      to: { path: '^shared/resources/(approvals|messages)/' },
    },
    {
      name: 'pending-and-planned-below-invoices',
      severity: 'error',
      comment:
        'pending-approvals and planned-messages lie below invoices, so they import no resource: take what differs as a parameter.',
      from: { path: '^shared/resources/(pending-approvals|planned-messages)/' },
      to: { path: '^shared/resources/', pathNot: '^shared/resources/$1/' },
    },
    {
      name: 'core-knows-no-process',
      severity: 'error',
      comment: 'shared is the core: a process imports it, never the other way.',
      from: fromCore,
      to: { path: '^(api|workers|mcp|dashboard|bin)/' },
    },
    {
      name: 'processes-apart',
      severity: 'error',
      comment:
        'Processes scale by themselves, so they never import each other; what both need belongs into shared.',
      from: { path: '^(api|workers|mcp)/' },
      to: { path: '^(api|workers|mcp|dashboard|bin)/', pathNot: '^$1/' },
    },
    {
      name: 'no-handlers-outside-workers',
      severity: 'error',
      comment: 'Only workers change data: api and mcp submit a command.',
      from: { path: '^(api|mcp)/' },
      to: { path: 'handlers?\\.ts$|(^|/)handlers/|^shared/(deliveries|sync)/' },
    },
    {
      name: 'koa-in-api-only',
      severity: 'error',
      comment: 'Only api knows Koa.',
      from: { pathNot: '^(api|test|bench)/' },
      to: { path: 'node_modules/(@koa/|koa)' },
    },
    {
      name: 'bullmq-in-queues-and-workers',
      severity: 'error',
      comment: 'Only queues and workers know BullMQ; migrations make its tables.',
      from: { pathNot: '^(shared/queues|workers|migrations|test|bench)/' },
      to: { path: 'node_modules/bullmq' },
    },
    {
      name: 'driver-in-platform-only',
      severity: 'error',
      comment: 'The pool is not for sharing: a query goes through Database, which names its tenant.',
      from: { pathNot: '^(shared/platform|bin/embedded-postgres|migrations|test|bench)/' },
      to: { path: 'node_modules/(pg|knex)/' },
    },
    {
      name: 'one-way-out',
      severity: 'error',
      comment:
        'Tenants name the addresses that are called: only the guarded client (createOutboundClient) checks where a name really leads. ' +
        'Whoever opens a connection by other means goes around it. Mail servers and stores are ours: their packages are not meant.',
      from: { path: '^(api|workers|mcp|shared|bin)/', pathNot: '^shared/outbound/' },
      to: {
        path: '(^|/)node_modules/undici/|^(node:)?(https|http2|tls)$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'migrations-are-frozen',
      severity: 'error',
      comment:
        'A migration must mean the same for ever, so it imports no app code. Only migrate.ts and needed-schema.ts do, which store and name the functions that follow from the code.',
      from: { path: '^migrations/', pathNot: '^migrations/(migrate|needed-schema)\\.ts$' },
      to: { path: '^(shared|api|workers|mcp|bin)/' },
    },
    {
      name: 'protocol-only-in-mcp',
      severity: 'error',
      comment: 'Tools of the core are commands and queries; what MCP is knows mcp alone (and `tow mcp`).',
      from: { path: '^(api|workers|shared|migrations)/' },
      to: { path: 'node_modules/@modelcontextprotocol/' },
    },
    {
      name: 'docs-stand-alone',
      severity: 'error',
      comment: 'People copy these files: receivers need nothing but Node.js, agents the official client.',
      from: { path: '^docs/' },
      to: { pathNot: '^docs/|node_modules/@modelcontextprotocol/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'strict-receiver-apart',
      severity: 'error',
      comment: 'It judges what the product sends, so it must share no mistake with it.',
      from: { path: '^test/support/webhooks/strict-' },
      to: { path: '^(api|workers|shared|bin|docs)/' },
    },
    {
      name: 'no-dev-tools-in-product',
      severity: 'error',
      comment: 'A production install has no development dependencies.',
      from: {
        path: '^(api|workers|mcp|shared|migrations|bin)/',
        pathNot: '^(api/openapi/(build-)?openapi\\.ts|bin/(generate|build/bundle)\\.ts)$',
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'dashboard-on-rest-alone',
      severity: 'error',
      comment:
        'The dashboard uses the documented routes and nothing else, as every client does: what it needs belongs into REST.',
      from: { path: '^dashboard/', pathNot: '^dashboard/driver-page/' },
      to: { path: '^(api|workers|mcp|shared|migrations|bin|test|bench)/' },
    },
    {
      name: 'driver-page-on-its-contract',
      severity: 'error',
      comment:
        "The driver's page runs on phones: of the product it knows only what it exchanges with the server.",
      from: { path: '^dashboard/driver-page/' },
      to: {
        pathNot: ['^dashboard/driver-page/', '^api/public/driver/driver-contract[.]ts', 'node_modules/'],
      },
    },
    {
      name: 'screens-apart',
      severity: 'error',
      comment: 'Each screen is loaded by itself: what two screens need belongs into dashboard/parts.',
      from: { path: '^dashboard/screens/([^/]+)/' },
      to: { path: '^dashboard/(screens|shell)/', pathNot: '^dashboard/screens/$1/' },
    },
    {
      name: 'parts-below-screens',
      severity: 'error',
      comment: 'Parts serve every screen, so they know none; the API client knows neither.',
      from: { path: '^dashboard/(api|parts)/' },
      to: { path: '^dashboard/(screens|shell)/' },
    },
    {
      name: 'dashboard-api-at-the-bottom',
      severity: 'error',
      comment: 'dashboard/api talks to the server and shows nothing.',
      from: { path: '^dashboard/api/' },
      to: { path: '^dashboard/(?!api/|generated/)' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'Nothing imports this: delete it.',
      from: {
        orphan: true,
        path: '^(shared|api|workers|dashboard)/',
        pathNot: '^dashboard/(vite[.]config|driver-page/(vite[.]config|sw))[.]ts$',
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
