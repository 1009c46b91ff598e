import { expect, test } from "vitest";
import { isChat } from "../../src/language/chat.js";

test.each([
  "let's talk about nothing, ok?",
  "Ok, let's chat!",
  "Hi there!",
  "Thanks a lot!",
  "Hello, how are you?",
  "Great. Let's continue, please.",
  "testing 1 2 3",
])("%s contains nothing to remember", (text) => {
  expect(isChat(text)).toBe(true);
});

test.each([
  "I like tea",
  "Let's Encrypt renews the certificates of the shop",
  "Thanks to Ada the VPN works again",
  "Hi, my name is Ines",
  "The retro starts with a chat",
  "Thanks. The door code changed.",
])("%s contains something to remember", (text) => {
  expect(isChat(text)).toBe(false);
});
