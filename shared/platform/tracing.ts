import {
  type Attributes,
  context,
  type Link,
  propagation,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Config } from './config.js';
import type { Lifecycle } from './lifecycle.js';

export { SpanKind } from '@opentelemetry/api';

const tracer = trace.getTracer('tow-dispatch');
let isOn = false;

/**
 * Switches OpenTelemetry traces on when its standard variables ask for it (OTEL_EXPORTER_OTLP_ENDPOINT; the SDK reads the rest itself).
 * The SDK is loaded only then: without it a span costs one comparison.
 */
export async function startTracing(config: Config, name: string, lifecycle: Lifecycle): Promise<void> {
  if (!config.tracing) return;
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({ serviceName: `tow-${name}`, instrumentations: [] });
  sdk.start();
  isOn = true;
  lifecycle.onClose('tracing', () => sdk.shutdown());
}

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  /** W3C traceparents of what caused this work: the first is the parent, the others are linked. */
  causes?: (string | null | undefined)[];
}

/** Runs `work` inside a span, which ends with it and bears its error. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span?: Span) => Promise<T>,
): Promise<T> {
  if (!isOn) return work();
  const causes = (options.causes ?? []).flatMap((cause) => (cause ? [cause] : []));
  const parent = causes[0] ? contextOf(causes[0]) : context.active();
  const links = causes.slice(1).flatMap(linkOf);
  const { kind = SpanKind.INTERNAL, attributes = {} } = options;
  return tracer.startActiveSpan(name, { kind, attributes, links }, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.recordException(error instanceof Error ? error : String(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The W3C traceparent of the active span, to travel with a command; null when nothing is traced. */
export function currentTraceparent(): string | null {
  if (!isOn) return null;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

function contextOf(traceparent: string) {
  return propagation.extract(context.active(), { traceparent });
}

function linkOf(traceparent: string): Link[] {
  const spanContext: SpanContext | undefined = trace.getSpanContext(contextOf(traceparent));
  return spanContext ? [{ context: spanContext }] : [];
}
