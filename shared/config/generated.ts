/* Made from the Joi schemas by `npm run generate`. Do not edit. */

export interface Settings {
  NODE_ENV: "development" | "test" | "production";
  PORT?: number;
  HOST: string;
  DATA_DIR: string;
  DATABASE_URL?: string;
  DATABASE_REPLICA_URL?: string;
  REDIS_URL?: string;
  BASE_URL?: string;
  SMTP_URL?: string;
  MAIL_FROM?: string;
  MAILS_PER_DAY: number;
  INTEGRATIONS?: string;
  SECRET_KEY?: string;
  STORAGE_URL?: string;
  S3_ENDPOINT?: string;
  AWS_REGION?: string;
  RATE_LIMIT_TIERS?: string;
  BAD_CREDENTIALS_PER_MINUTE: number;
  WRITE_TIMEOUT_MS: number;
  SEND_TIMEOUT_MS: number;
  UNSENT_MB_PER_TENANT: number;
  CONNECTIONS_PER_PROCESS: number;
  CONNECTIONS_PER_NETWORK: number;
  OPEN_REQUESTS_MIN: number;
  DATABASE_POOL_SIZE: number;
  WRITES_CONCURRENCY: number;
  WEBHOOKS_CONCURRENCY: number;
  WEBHOOK_TIMEOUT_MS: number;
  WEBHOOK_HOST_BYTES_PER_MINUTE: number;
  WEBHOOK_ALLOW_LOOPBACK?: boolean;
  EXPORTS_CONCURRENCY: number;
  EXPORT_TIMEOUT_MS: number;
  EXPORT_RETENTION_DAYS: number;
  MCP_HOSTS?: string;
  TRUST_PROXY: boolean;
  SHUTDOWN_DELAY_MS?: number;
  LOG_LEVEL: "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";
  DEMO?: boolean;
  TOW_API_URL?: string;
  TOW_API_KEY?: string;
  TOW_MCP_URL?: string;
  TOW_AGENT_KEY?: string;
  FAILPOINTS?: string;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  OTEL_SDK_DISABLED: boolean;
}
