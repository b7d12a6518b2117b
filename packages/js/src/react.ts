"use client";
// A React component for <vestibule-apply>. It sets the listeners itself, because React before version 19
// sets none on custom elements, and no version does on those that a server rendered.

import { createElement, forwardRef, useEffect, useImperativeHandle, useLayoutEffect, useRef } from "react";
import type { VestibuleApply as Element } from "../index.d.ts";
import type * as api from "../react.d.ts";
import { events, loadVestibule } from "./index.js";

type Handler = (detail: unknown) => void;

// On a server, React warns of the effects that run before a page is painted.
const useEarlyEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;

export const VestibuleApply: typeof api.VestibuleApply = forwardRef<Element, api.VestibuleApplyProps>(
  function VestibuleApply({ portal, nonce, onLoadError, className, ...rest }, ref) {
    const element = useRef<Element>(null);
    const handlers = useRef<Record<string, Handler | undefined>>({});
    const latest: Record<string, Handler | undefined> = {};
    const attributes: Record<string, unknown> = { ref: element, class: className };
    for (const [name, value] of Object.entries(rest)) {
      const event = events.find((e) => name === `on${e[0]!.toUpperCase()}${e.slice(1)}`);
      if (event) latest[event] = value as Handler;
      else if (value !== false) attributes[name] = value; // React before version 19 writes "false"
    }
    latest.load = onLoadError as Handler | undefined;
    const { current: listen } = useRef((e: Event): void => {
      if ((e.target as Element).isConnected) handlers.current[e.type]?.((e as CustomEvent).detail);
    });
    useImperativeHandle(ref, () => element.current!, []);
    // The listeners stay for the element's life: in a Suspense boundary that hides it, React ends these effects.
    useEarlyEffect(() => {
      handlers.current = latest;
      for (const name of events) element.current!.addEventListener(name, listen);
    });
    useEffect(() => {
      let gone = false;
      loadVestibule(portal, { nonce }).catch((reason: Error) => {
        if (!gone) (handlers.current.load ?? console.error)(reason);
      });
      return () => {
        gone = true;
      };
    }, [portal, nonce]);
    return createElement("vestibule-apply", attributes);
  },
);
VestibuleApply.displayName = "VestibuleApply";
