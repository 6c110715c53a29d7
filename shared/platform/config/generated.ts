/* Made from the Joi schemas by `npm run generate`. Do not edit. */

export interface Contracts {
  Settings?: Settings;
}
export interface Settings {
  /**
   * production requires SECRET_KEY and an https BASE_URL, and turns the demo off
   */
  NODE_ENV: "development" | "test" | "production";
  /**
   * port of the HTTP server, or of the health server in processes without an API
   */
  PORT?: number;
  /**
   * address to listen on
   */
  HOST: string;
  /**
   * folder of the embedded database, demo.json and the generated secret
   */
  DATA_DIR: string;
  /**
   * PostgreSQL 15 or later; an owner role that may create roles and is no superuser
   */
  DATABASE_URL?: string;
  /**
   * a streaming replica that exports read from once it has caught up; the same role as DATABASE_URL
   */
  DATABASE_REPLICA_URL?: string;
  /**
   * Redis 6.2 or later with noeviction; switches to the scaled-out way
   */
  REDIS_URL?: string;
  /**
   * public address of the API host; required in production, where it is https
   */
  BASE_URL?: string;
  /**
   * mail server for invoices; without it mails stay in the outbox
   */
  SMTP_URL?: string;
  /**
   * sender address of mails; default invoices@ the domain of BASE_URL
   */
  MAIL_FROM?: string;
  /**
   * mails and text messages that an account may send per day (UTC); further ones wait for the next day
   */
  MAILS_PER_DAY: number;
  /**
   * encrypts stored secrets and links, signs cursors; random; generated into DATA_DIR outside production
   */
  SECRET_KEY?: string;
  /**
   * where exports are stored: a folder, which separate processes can share on one machine only, or a bucket
   */
  STORAGE_URL?: string;
  /**
   * server of the bucket if it is not Amazon's; customers download from it
   */
  S3_ENDPOINT?: string;
  /**
   * region of the bucket; the AWS SDK's other standard variables, such as AWS_ACCESS_KEY_ID, also apply
   */
  AWS_REGION?: string;
  /**
   * JSON that replaces the published limits of a tier
   */
  RATE_LIMIT_TIERS?: string;
  /**
   * wrong credentials allowed per network (IPv4 address, IPv6 /56) and minute
   */
  BAD_CREDENTIALS_PER_MINUTE: number;
  /**
   * how long a write waits for its commit before the response is 202
   */
  WRITE_TIMEOUT_MS: number;
  /**
   * how long a client may take to read a response before its connection is closed
   */
  SEND_TIMEOUT_MS: number;
  /**
   * MiB of unread responses that one process holds per account, or per network for requests without a key
   */
  UNSENT_MB_PER_TENANT: number;
  /**
   * open client connections per process; further ones are closed immediately
   */
  CONNECTIONS_PER_PROCESS: number;
  /**
   * open connections per network (IPv4 address, IPv6 /56), four times as many per IPv4 /24 or IPv6 /48; ignored with TRUST_PROXY
   */
  CONNECTIONS_PER_NETWORK: number;
  /**
   * PostgreSQL connections of one process for its own queries
   */
  DATABASE_POOL_SIZE: number;
  /**
   * batches that one writes worker commits concurrently; at most DATABASE_POOL_SIZE - 1
   */
  WRITES_CONCURRENCY: number;
  /**
   * concurrent requests to receivers per webhooks worker; the same number again to slow ones
   */
  WEBHOOKS_CONCURRENCY: number;
  /**
   * deadline of one request to a receiver, from connecting to the end of its response
   */
  WEBHOOK_TIMEOUT_MS: number;
  /**
   * webhook bytes that one account may send to one host per minute; further requests wait
   */
  WEBHOOK_HOST_BYTES_PER_MINUTE: number;
  /**
   * webhooks may go to receivers on this machine; refused in production
   */
  WEBHOOK_ALLOW_LOOPBACK?: boolean;
  /**
   * exports that one exports worker writes concurrently; if more than one, one slot is reserved for small exports
   */
  EXPORTS_CONCURRENCY: number;
  /**
   * how long PostgreSQL may read for one file of an export
   */
  EXPORT_TIMEOUT_MS: number;
  /**
   * days until the file of a finished export is deleted
   */
  EXPORT_RETENTION_DAYS: number;
  /**
   * host names of the MCP server, in addition to BASE_URL's and this machine's
   */
  MCP_HOSTS?: string;
  /**
   * read the client's address from the last entry of X-Forwarded-For, which the one proxy in front adds
   */
  TRUST_PROXY: boolean;
  /**
   * how long web and mcp answer /readyz with 503 after SIGTERM before they stop listening; default 5000 in production, else 0
   */
  SHUTDOWN_DELAY_MS?: number;
  /**
   * least severe level that is logged
   */
  LOG_LEVEL: "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";
  /**
   * seed two demo tenants on first run; off in production
   */
  DEMO?: boolean;
  /**
   * API that `tow listen`, `tow trigger` and `tow export` call; default: the one in demo.json
   */
  TOW_API_URL?: string;
  /**
   * key that `tow listen`, `tow trigger` and `tow export` use; default: the demo's
   */
  TOW_API_KEY?: string;
  /**
   * MCP server that `tow mcp` connects to; default: the one in demo.json
   */
  TOW_MCP_URL?: string;
  /**
   * key that `tow mcp` uses; default: the demo's
   */
  TOW_AGENT_KEY?: string;
  /**
   * tests only: places where the process kills itself; refused in production
   */
  FAILPOINTS?: string;
  /**
   * switches OpenTelemetry traces on; its other standard variables apply as well
   */
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  /**
   * switches traces off again
   */
  OTEL_SDK_DISABLED: boolean;
}
