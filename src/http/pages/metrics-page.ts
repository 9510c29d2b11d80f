import type { RequestHandler } from 'express';
import type { Metrics } from '../../telemetry/metrics/metrics.js';

/** `GET /metrics`: Prometheus text, or OpenMetrics if the `Accept` header asks for it. */
export function metricsPage(metrics: Metrics): RequestHandler {
  return (req, res, next) => {
    metrics.page(req.headers.accept).then(({ contentType, text }) => {
      res.setHeader('Content-Type', contentType);
      res.end(text);
    }, next);
  };
}
