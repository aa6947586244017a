#pragma once
// Headers of every test. With more headers, loading them costs what it saves. A build without LEEWAY_UNITY does not use this file,
// so every test includes what it needs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
