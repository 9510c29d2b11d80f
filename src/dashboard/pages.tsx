import { type ComponentType, lazy } from 'react';
import { importPart } from './api/connection.js';
import type { Scope } from './session/session.js';
import { texts } from './texts/texts.js';

/** A page of the navigation. */
export interface NavigatedPage {
  /** The first segment of its path; `''` is the start page. */
  readonly path: string;
  readonly label: string;
  /** What its readers must be allowed to do; null: nothing more than to be signed in. */
  readonly needs: Scope | null;
  /** Loaded when it is first shown. Paths below its own are its own too: `/requests/<id>`. */
  readonly Content: ComponentType;
}

const page = (
  path: string,
  label: string,
  needs: Scope | null,
  load: () => Promise<{ default: ComponentType }>,
): NavigatedPage => ({ path, label, needs, Content: lazy(() => importPart(load)) });

const { navigation } = texts;

/** The pages in the order of the navigation. `src/http/dashboard/` serves the same paths. */
export const pages: readonly NavigatedPage[] = [
  page('', navigation.overview, 'admin', () => import('./pages/overview/overview-page.js')),
  page(
    'playground',
    navigation.playground,
    'completions',
    () => import('./pages/playground/playground-page.js'),
  ),
  page(
    'conversations',
    navigation.conversations,
    'completions',
    () => import('./pages/conversations/conversations-page.js'),
  ),
  page('requests', navigation.requests, 'admin', () => import('./pages/requests/requests-page.js')),
  page('models', navigation.models, null, () => import('./pages/models/models-page.js')),
  page(
    'preferences',
    navigation.preferences,
    null,
    () => import('./pages/preferences/preferences-page.js'),
  ),
  page('keys', navigation.keys, 'admin', () => import('./pages/keys/keys-page.js')),
  page(
    'connect',
    navigation.connect,
    'completions',
    () => import('./pages/connect/connect-page.js'),
  ),
  page('settings', navigation.settings, null, () => import('./pages/settings/settings-page.js')),
  page(
    'reference',
    navigation.reference,
    null,
    () => import('./pages/reference/reference-page.js'),
  ),
];
