import express, { type Express, type Router } from 'express';
import type { Config, Listener } from './config.js';
import type { Gateway } from './gateway.js';

/** The surfaces that the configuration gives a listener of their own, each an app of just that surface. */
export function surfaceApps(gateway: Gateway, surfaces: Config['surfaces']): { app: Express; listener: Listener }[] {
  return Object.entries(surfaces).map(([surface, listener]) => ({ app: appOf(gateway, gateway.routers[surface as keyof Gateway['routers']]), listener }));
}

function appOf(gateway: Gateway, router: Router): Express {
  return express().disable('x-powered-by').disable('etag').use(router, gateway.routers.health).use(gateway.notFound).use(gateway.errorHandler);
}
