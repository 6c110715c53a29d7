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
import type { Lifecycle } from './lifecycle.js';

export { SpanKind } from '@opentelemetry/api';

const tracer = trace.getTracer('tow-dispatch');
let isTracingOn = false;

/**
 * Starts OpenTelemetry tracing if the settings switch tracing on. The SDK reads the other standard
 * OTEL variables itself. Without tracing, the SDK is not loaded and a span costs one comparison.
 */
export async function startTracing(
  config: { tracing: boolean },
  name: string,
  lifecycle: Lifecycle,
): Promise<void> {
  if (!config.tracing) return;
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({ serviceName: `tow-${name}`, instrumentations: [] });
  sdk.start();
  isTracingOn = true;
  lifecycle.onClose('tracing', () => sdk.shutdown());
}

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  /**
   * The W3C traceparents of the spans that caused this work. The first becomes the span's parent;
   * the span links to the others.
   */
  causes?: (string | null | undefined)[];
}

/** Runs the work in a span. The span ends with the work and records the error if the work fails. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span?: Span) => Promise<T>,
): Promise<T> {
  if (!isTracingOn) return work();
  const causes = (options.causes ?? []).flatMap((cause) => (cause ? [cause] : []));
  const parent = causes[0] ? extractContext(causes[0]) : context.active();
  const links = causes.slice(1).flatMap(createLinks);
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

/**
 * Returns the W3C traceparent of the active span, to store it in a command. Returns null without
 * tracing.
 */
export function currentTraceparent(): string | null {
  if (!isTracingOn) return null;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

function extractContext(traceparent: string) {
  return propagation.extract(context.active(), { traceparent });
}

function createLinks(traceparent: string): Link[] {
  const spanContext: SpanContext | undefined = trace.getSpanContext(extractContext(traceparent));
  return spanContext ? [{ context: spanContext }] : [];
}
