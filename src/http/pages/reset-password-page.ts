import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { sendPage } from './html-page.js';

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:24rem;margin:0 auto;padding:4rem 1rem}h1{font-size:1.4rem;margin:0 0 1rem}
label{display:block;margin:.75rem 0 .25rem}input,button{font:inherit;width:100%;box-sizing:border-box;padding:.5rem .6rem;border-radius:.4rem;border:1px solid #8888}
button{margin-top:1.25rem;border:0;background:#1d4ed8;color:#fff;cursor:pointer}button:disabled{opacity:.6;cursor:default}p{min-height:1.5em}.wrong{color:#c62828}@media(prefers-color-scheme:dark){.wrong{color:#ff8a80}}`;

/** Removes the token from the address bar first, so that it does not stay in the history. */
const script = `const token=new URLSearchParams(location.hash.slice(1)).get('token')??'';history.replaceState(null,'',location.pathname);
const form=document.querySelector('form'),output=document.querySelector('p'),button=document.querySelector('button');
const show=(text,wrong)=>{output.textContent=text;output.className=wrong?'wrong':''};
if(!token)show('This link is incomplete: open it again exactly as you received it.',true);
form.addEventListener('submit',async(event)=>{event.preventDefault();
if(form.password.value!==form.again.value){show('The passwords differ.',true);return}
button.disabled=true;show('',false);
try{const response=await fetch('api/v1/auth/password-reset/complete',{method:'POST',headers:{'Content-Type':'application/json'},body:JSON.stringify({token,password:form.password.value})});
if(response.ok){form.hidden=true;show('Your password is set. You can sign in with it now.',false);return}
const {message}=await response.json();show(message,true)}catch{show('The gateway cannot be reached.',true)}
button.disabled=false});`;

const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Signalbox: new password</title><style>${style}</style></head><body><main><h1>Choose a password</h1><form><label for="password">New password</label><input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="1024" required autofocus><label for="again">Repeat the password</label><input id="again" name="again" type="password" autocomplete="new-password" required><button>Set the password</button></form><p role="status" aria-live="polite"></p></main><script>${script}</script></body></html>`;

const scriptHash = `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

/**
 * `GET /reset-password#token=…`: the page behind a reset link. It loads nothing from other servers
 * and does not store the token.
 */
export const resetPasswordPage: RequestHandler = (req, res) => {
  res.setHeader('Cache-Control', 'no-store');
  sendPage(req, res, () => html, { scriptSrc: [scriptHash], styleSrc: ["'unsafe-inline'"] });
};
